"""Each line of a bill says what its amounts are, in our words if we have some for the code, and never in wrong ones."""

import pytest

from apps.records.viewing import charges
from tests.records.told import concept, entry, in_row, named, on_page

CARIN = "http://hl7.org/fhir/us/carin-bb/CodeSystem/C4BBAdjudication"
MEDICARE = "https://bluebutton.cms.gov/resources/variables"


def usd(value):
    return {"value": value, "currency": "USD"}


def judged(code, value=20, **also):
    return {"category": {"coding": [{"system": CARIN, "code": code}]}, "amount": usd(value), **also}


def line(*adjudication, **also):
    return {"sequence": 1, "productOrService": named("Eye test"), "adjudication": list(adjudication), **also}


def charged(resource_type="ExplanationOfBenefit", **sent):
    return charges.of(entry(resource_type, **sent), {"resourceType": resource_type, **sent})[0]


def amounts(part):
    return [(one.of, one.said, one.why) for one in part.amounts]


class TestALineOfABill:
    @pytest.mark.parametrize(
        ("code", "called"),
        [
            ("submitted", "Billed"),
            ("eligible", "Allowed by the plan"),
            ("benefit", "Paid by the plan"),
            ("noncovered", "Not covered by the plan"),
            ("deductible", "Your share (deductible)"),
            ("copay", "Your share (copay)"),
            ("coinsurance", "Your share (coinsurance)"),
            ("memberliability", "Your share in total"),
            ("PaidToPatient", "Paid to you"),
            (f"{MEDICARE}/line_coinsrnc_amt", "Your share (coinsurance)"),
            (f"{MEDICARE}/line_alowd_chrg_amt", "Allowed by the plan"),
        ],
    )
    def test_says_what_an_amount_is_of(self, code, called):
        assert amounts(charged(item=[line(judged(code))]).parts[0]) == [(called, "20 USD", "")]

    def test_says_in_the_insurances_words_what_has_none_of_ours(self):
        parts = charged(item=[line({"category": named("Rebate"), "amount": usd(1.5)})]).parts
        assert amounts(parts[0]) == [("Rebate", "1.50 USD", "")]

    def test_knows_an_amount_by_any_of_its_codes(self):
        category = {"coding": [{"code": "x", "display": "Line amount"}, {"code": "copay"}], "text": "Line amount"}
        assert (
            amounts(charged(item=[line({"category": category, "amount": usd(5)})]).parts[0])[0][0]
            == "Your share (copay)"
        )

    def test_has_what_was_billed_first_whatever_was_sent_first(self):
        parts = charged(item=[line(judged("memberliability", 5), judged("benefit", 15), judged("submitted"))]).parts
        assert [of for of, _said, _why in amounts(parts[0])] == ["Billed", "Paid by the plan", "Your share in total"]

    def test_was_billed_at_its_price_where_nothing_else_says_so(self):
        priced = charged(item=[line(judged("benefit", 0), net=usd(30))]).parts[0]
        assert amounts(priced) == [("Billed", "30 USD", ""), ("Paid by the plan", "0 USD", "")]
        said = charged(item=[line(judged("submitted", 40), net=usd(30))]).parts[0]
        assert amounts(said) == [("Billed", "40 USD", "")]

    def test_says_why_it_is_not_covered(self):
        denied = {"category": concept("denialreason"), "reason": named("Cosmetic")}
        assert amounts(charged(item=[line(denied)]).parts[0]) == [("Why it is not covered", "", "Cosmetic")]
        less = judged("noncovered", reason={"coding": [{"code": "96"}]})
        assert amounts(charged(item=[line(less)]).parts[0]) == [("Not covered by the plan", "20 USD", "96")]

    @pytest.mark.parametrize(
        ("code", "told"), [("innetwork", "In the network"), ("outofnetwork", "Outside the network"), ("x", "x")]
    )
    def test_says_whether_it_was_in_the_network(self, code, told):
        sent = {"category": concept("inoutnetwork"), "reason": concept(code)}
        assert amounts(charged(item=[line(sent)]).parts[0]) == [("Plan network", "", told)]

    def test_is_called_by_its_number_and_code_where_it_has_no_name(self):
        coded = line(judged("copay"), sequence=3, productOrService=concept("99213"))
        unnamed = line(judged("copay"), sequence=None, productOrService=None)
        first, second = charged(item=[coded, unnamed]).parts
        assert first.name == "Line 3 · Provider's code 99213"
        assert second.name == "Line 2"

    def test_says_what_was_written_to_it(self):
        notes = [{"number": 1, "text": "Ask your employer"}, {"number": 2, "text": "Sent twice"}]
        parts = charged(item=[line(judged("copay"), noteNumber=[2, 9, "x"])], processNote=notes).parts
        assert parts[0].notes == ("Sent twice",)

    def test_says_its_day_where_it_is_another_than_that_of_the_bill(self):
        stay = {"billablePeriod": {"start": "2026-05-04", "end": "2026-05-08"}}
        item = [line(judged("copay"), servicedDate=day) for day in ("2026-05-04", "2026-05-06")]
        assert [part.when for part in charged(item=item, **stay).parts] == ["", "Care given: May 6, 2026"]

    def test_of_which_only_its_parts_say_anything_is_told_as_these(self):
        group = line(productOrService=named("Group"), detail=[line(judged("copay"))])
        assert [part.name for part in charged(item=[group]).parts] == ["Eye test"]
        whole = line(judged("copay"), productOrService=named("Group"), detail=[line(judged("copay"))])
        assert [part.name for part in charged(item=[whole]).parts] == ["Group"]

    def test_of_the_insurance_itself_is_told_too(self):
        added = line(judged("benefit"), productOrService=named("Glasses"))
        assert [part.name for part in charged(item=[line(judged("copay"))], addItem=[added]).parts] == [
            "Eye test",
            "Glasses",
        ]

    def test_of_dstu2_says_the_same(self):
        amount = {"value": 10.0, "system": "urn:iso:std:iso:4217", "code": "USD"}
        item = {
            "sequenceLinkId": 4,
            "adjudication": [
                {"code": {"code": "total"}, "amount": amount},
                {"code": {"code": "copay"}, "amount": amount},
                {"code": {"code": "eligpercent"}, "value": 80.0},
            ],
            "noteNumber": [1],
        }
        (part,) = charged("ClaimResponse", item=[item], note=[{"number": 1, "text": "Paid late"}]).parts
        assert part.name == "Line 4"
        assert amounts(part) == [("Billed", "10.00 USD", ""), ("Your share (copay)", "10.00 USD", "")]
        assert part.notes == ("Paid late",)

    @pytest.mark.parametrize(
        "odd",
        [
            None,
            "x",
            [None, 1, "x", []],
            [{}],
            [{"category": None, "amount": usd(1)}],
            [{"category": [], "amount": usd(1)}],
            [{"category": concept("copay"), "amount": {"value": "a lot"}}],
            [{"category": concept("copay"), "amount": [None]}],
            [{"category": concept("copay"), "reason": "because"}],
        ],
    )
    def test_that_says_nothing_is_no_line_of_amounts(self, odd):
        sent = {**line(), "adjudication": odd, "noteNumber": odd, "sequence": odd, "detail": odd}
        assert not charged(item=[sent], total=odd, adjudication=odd, processNote=odd)


class TestABillOfMedicare:
    def test_says_of_the_whole_what_came_as_used_so_far(self):
        used = {"type": concept(f"{MEDICARE}/nch_carr_clm_alowd_amt"), "usedMoney": usd(60)}
        visits = {"type": named("visits"), "allowedUnsignedInt": 20, "usedUnsignedInt": 4}
        sent = {"benefitBalance": [{"category": named("Medical care"), "financial": [used, visits]}]}
        told, besides = charges.of(
            entry("ExplanationOfBenefit", **sent), {"resourceType": "ExplanationOfBenefit", **sent}
        )
        assert [amounts(part) for part in told.parts] == [[("Allowed by the plan", "60 USD", "")]]
        assert "Used so far: Medical care, visits: 4" in on_page(besides)
        assert "60" not in on_page(besides)

    def test_is_believed_in_its_own_words(self):
        both = {"coding": [{"code": "priorpayerpaid"}, {"code": f"{MEDICARE}/clm_tot_chrg_amt"}]}
        told = charged(total=[{"category": both, "amount": usd(250)}])
        assert amounts(told.parts[0]) == [("Billed", "250 USD", "")]


class TestABill:
    def test_says_first_what_the_whole_of_it_comes_to(self):
        told = charged(
            item=[line(judged("copay"))], total=[judged("memberliability", 20)], adjudication=[judged("copay")]
        )
        assert [part.name for part in told.parts] == ["The whole bill", "Eye test"]
        assert amounts(told.parts[0]) == [("Your share (copay)", "20 USD", ""), ("Your share in total", "20 USD", "")]

    def test_has_its_amounts_and_lines_nowhere_else(self):
        sent = {"item": [line(judged("copay"), net=usd(30))], "total": [judged("benefit")]}
        whole = entry("ExplanationOfBenefit", **sent)
        assert "What it is for: Eye test: 30 USD" in on_page(whole)
        assert "Amounts: " in on_page(whole)
        besides = on_page(charges.of(whole, {"resourceType": "ExplanationOfBenefit", **sent})[1])
        assert "Eye test" not in besides
        assert "Amounts" not in besides

    def test_of_which_no_insurance_says_anything_keeps_its_lines_as_they_are(self):
        sent = {"item": [line(net=usd(30))]}
        told, besides = charges.of(entry("Claim", **sent), {"resourceType": "Claim", **sent})
        assert not told
        assert "What it is for: Eye test: 30 USD" in on_page(besides)

    def test_of_thousands_of_lines_tells_some_and_how_many_are_left(self):
        told = charged(item=[line(judged("copay"), sequence=n) for n in range(1, 3001)])
        assert len(told.parts) == 50
        assert told.left == 1950  # as many as are read of any list

    @pytest.mark.parametrize("status", ["entered-in-error"])
    def test_that_was_a_mistake_has_none(self, status):
        assert not charged(status=status, item=[line(judged("copay"))])

    @pytest.mark.parametrize("kind", ["ExplanationOfBenefit", "ClaimResponse"])
    @pytest.mark.parametrize(
        ("outcome", "told"),
        [
            ("error", "Where it stands now: Could not be processed"),
            ("partial", "Where it stands now: Processed in part"),
            ("queued", "Where it stands now: Not yet processed"),
        ],
    )
    def test_says_in_its_row_that_the_insurance_is_not_done_with_it(self, kind, outcome, told):
        assert told in in_row(entry(kind, outcome=outcome))
        assert told in on_page(entry(kind, outcome=outcome))

    @pytest.mark.parametrize("outcome", ["complete", "x", ["complete"], None])
    def test_that_the_insurance_is_done_with_says_nothing_of_it(self, outcome):
        assert "Where it stands now" not in on_page(entry("ExplanationOfBenefit", outcome=outcome))
