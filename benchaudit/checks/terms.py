"""Terms that give options away, by language.

Small on purpose: a term that means something else in another language of the list only blurs a figure,
and never makes a leak of what is none.
"""

from __future__ import annotations

from collections.abc import Mapping

_NEGATION: Mapping[str, str] = {
    "en": "no|not|never|none|nobody|nothing|neither|nor|cannot|without|don't|doesn't|didn't|isn't|aren't|"
    "wasn't|weren't|won't|can't|couldn't|wouldn't|shouldn't",
    "de": "nicht|nie|niemals|kein|keine|keinen|keiner|keines|niemand|nichts|weder",
    "fr": "ne|n'est|n'a|pas|jamais|aucun|aucune|rien|personne|ni",
    "es": "nunca|jamás|ningún|ninguno|ninguna|nada|nadie|tampoco",
    "zh": "不|没有|并非|无法|从未|未必",
}
_ABSOLUTES: Mapping[str, str] = {
    "en": "always|never|all|every|everyone|everything|none|only|must|entirely|completely|absolutely|"
    "impossible|invariably",
    "de": "immer|niemals|alle|alles|jeder|jede|jedes|nur|stets|völlig|unmöglich",
    "fr": "toujours|jamais|tous|toutes|chaque|seulement|uniquement|entièrement|impossible",
    "es": "siempre|nunca|todos|todas|cada|solamente|únicamente|completamente|imposible",
    "zh": "总是|从不|所有|一切|全部|必须|绝对|完全|只有|仅",
}
_HEDGES: Mapping[str, str] = {
    "en": "may|might|can|could|usually|often|sometimes|generally|typically|likely|probably|possibly|perhaps|"
    "mostly|some|tend|tends|approximately",
    "de": "kann|können|könnte|oft|manchmal|meist|meistens|wahrscheinlich|vielleicht|möglicherweise|etwa",
    "fr": "peut|peuvent|pourrait|souvent|parfois|généralement|probablement|peut-être|environ",
    "es": "puede|pueden|podría|suele|veces|generalmente|probablemente|quizás|aproximadamente",
    "zh": "可能|也许|通常|往往|有时|一般|大约|或许",
}
_OF_THE_ABOVE: Mapping[str, str] = {
    "en": "all of the above|none of the above|any of the above|all the above|all of these|none of these|"
    "both of the above|neither of the above|both a and b|both b and c|not enough information",
    "de": "alle oben genannten|keine der oben genannten|alle der genannten|keine der genannten|"
    "keine der antworten",
    "fr": "toutes ces réponses|aucune de ces réponses|toutes les réponses ci-dessus|aucune des réponses",
    "es": "todas las anteriores|ninguna de las anteriores|todos los anteriores|ninguno de los anteriores",
    "zh": "以上都是|以上都不是|以上皆是|以上皆非|以上都对|以上都不对",
}


def _together(lists: Mapping[str, str]) -> tuple[str, ...]:
    """The terms of all languages; of a dataset's language nothing is known."""
    return tuple(sorted({term for terms in lists.values() for term in terms.split("|")}))


NEGATION = _together(_NEGATION)
ABSOLUTES = _together(_ABSOLUTES)
HEDGES = _together(_HEDGES)
OF_THE_ABOVE = _together(_OF_THE_ABOVE)
