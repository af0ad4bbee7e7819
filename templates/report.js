"use strict";
/* Sorts, filters and opens rows that were written when the page was made; it writes no markup of its own. */
(() => {
  const table = document.querySelector("#rows");
  if (!table) return;
  const { rows, details, page } = JSON.parse(document.querySelector("#data").textContent);
  const body = table.tBodies[0], filters = document.querySelector("#filters"), more = document.querySelector("#more");
  const heads = [...table.tHead.rows[0].cells];
  let order = { key: "", down: false }, shown = page;

  const matches = () => {
    const words = filters.elements.words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = filters.elements.verdict.value, check = filters.elements.check.value;
    return rows.filter(row => (!verdict || row.verdict === verdict) && (!check || row.check === check)
      && words.every(word => row.name.includes(word)));
  };
  const compare = (one, other) => {
    const a = one.sort[order.key], b = other.sort[order.key];
    if (a === b) return one.place - other.place;
    if (a === null || b === null) return a === null ? 1 : -1;
    return (a < b ? -1 : 1) * (order.down ? -1 : 1);
  };
  const show = () => {
    const found = matches();
    if (order.key) found.sort(compare);
    body.innerHTML = found.slice(0, shown).map(row => row.html).join("");
    filters.elements.count.value = found.length === 1 ? "1 row" : `${found.length.toLocaleString("en")} rows`;
    more.hidden = found.length <= shown;
    more.textContent = `Show ${Math.min(page, found.length - shown).toLocaleString("en")} more rows`;
  };
  const open = button => {
    const row = button.closest("tr"), isOpen = button.getAttribute("aria-expanded") === "true";
    button.setAttribute("aria-expanded", String(!isOpen));
    button.textContent = isOpen ? "▸" : "▾";
    if (isOpen) return row.nextElementSibling.remove();
    const detail = row.parentNode.insertRow(row.sectionRowIndex + 1);
    detail.className = "detail";
    const cell = detail.insertCell();
    cell.colSpan = heads.length;
    cell.innerHTML = details[button.dataset.slice];
  };

  for (const head of heads.filter(cell => cell.dataset.key)) {
    head.querySelector("button").addEventListener("click", () => {
      const key = head.dataset.key, first = head.dataset.down === "true";
      order = { key, down: order.key === key ? !order.down : first };
      heads.forEach(cell => cell.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
      show();
    });
  }
  filters.addEventListener("input", () => { shown = page; show(); });
  filters.addEventListener("submit", event => event.preventDefault());
  more.addEventListener("click", () => { shown += page; show(); });
  body.addEventListener("click", event => { const button = event.target.closest("button[data-slice]"); if (button) open(button); });
  filters.hidden = false;
  show();
})();
