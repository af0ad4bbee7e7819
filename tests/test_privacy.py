"""Reports that name no row, where that is asked for; every figure stays."""

from __future__ import annotations

from dataclasses import replace

from benchaudit.models import Finding, LeftOut
from benchaudit.privacy import nameless_audit, nameless_pairs
from benchaudit.report.document import audit_document

from .builders import FAIR, LONGEST, NEW, paired, release


def test_an_audit_without_names():
    left = {"unreadable-options": LeftOut(rows=3, defective=True, sample=("a", "b"))}
    findings = [Finding(check="empty-option", severity="defect", count=1, sample=("c",), message="why")]
    audit = release({"a": FAIR * 10}, left_out=left, findings=findings).audit
    nameless = nameless_audit(audit)
    document, named = audit_document(nameless), audit_document(audit)
    assert document["left_out"]["unreadable-options"]["sample"] == document["findings"][0]["sample"] == []
    document["left_out"], document["findings"] = named["left_out"], named["findings"]
    assert document == named


def test_pairs_without_names():
    pairs = paired(release({"a": FAIR * 10}), release({"a": [LONGEST] * 40}, sha=NEW))
    nameless = nameless_pairs(pairs)
    assert any(pairs.names.values())
    assert not any(nameless.names.values())
    assert not any(moves.flips for moves in nameless.moves.values())
    assert nameless == replace(pairs, names=nameless.names, moves=nameless.moves)
    assert {place: replace(moves, flips=()) for place, moves in pairs.moves.items()} == nameless.moves
