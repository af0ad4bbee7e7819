"""The invented phrases and cards of the demo benchmark.

A table holds phrases with a bar between them. To change any is to change the demo's bytes, whose digests its
tests pin.
"""

from dataclasses import dataclass


def _table(text: str) -> tuple[str, ...]:
    """Return the phrases of a table, without line breaks and outer spaces."""
    return tuple(" ".join(phrase.split()) for phrase in text.split("|"))


@dataclass(frozen=True, slots=True)
class Topic:
    """One field of everyday life, in verb phrases.

    `asks` follow "What could I"; `habits` (what a persona is known for, two or more) and `ideas` (what an
    option proposes, four or more) follow "you".
    """

    name: str
    asks: tuple[str, ...]
    habits: tuple[str, ...]
    ideas: tuple[str, ...]


TOPICS = (
    Topic(
        "Cooking",
        _table("cook | make for dinner | serve | put on the table | prepare"),
        _table("cook with fresh herbs | rarely eat meat | love jalapeño peppers | enjoy one-pot meals"),
        _table("""simmer a pot of lentils with carrots and cumin | roast a tray of beetroot and onions |
            fold mushrooms into a soft omelette | stuff peppers with rice and feta | stir a slow risotto"""),
    ),
    Topic(
        "Travel",
        _table("visit | see | explore | plan as an outing | choose for a trip"),
        _table("prefer trains to planes | like small museums | avoid crowds | never miss a good café"),
        _table("""take a slow train along the coast | walk an old pilgrim path for a day |
            follow a canal by boat | see a harbour and its fish market | stay a night in a mountain hut"""),
    ),
    Topic(
        "Music",
        _table("play | sing | learn on the guitar | perform | practise"),
        _table("collect old jazz records | sing in a choir | enjoy a loud brass band | play most evenings"),
        _table("""pick a round for three voices | go through an album of folk dances |
            choose a tune from a film | learn one slow waltz by heart | start with a lullaby in a low key"""),
    ),
    Topic(
        "Training",
        _table("do to keep fit | do to get stronger | do for exercise | try as a sport | train"),
        _table("swim twice a week | dislike crowded gyms | stretch every morning | run without a watch"),
        _table("""swim a few easy lengths at the public pool | climb the hill behind the station |
            row at an even pace | follow a short set of stretches on a mat | walk briskly along the river"""),
    ),
    Topic(
        "Gardening",
        _table("plant | grow | sow | change in the garden | start in the garden"),
        _table("grow herbs on the windowsill | prefer wild corners to lawns | save seeds | feed the birds"),
        _table("""sow a row of radishes and rocket | put a pot of thyme by the back door |
            leave clover for the bees | train sweet peas up hazel sticks | plant a crab apple by the wall"""),
    ),
)
# In rows of these kinds a persona is known for something other than a taste in the topic.
SPECIAL_HABITS = {
    "health_and_medical_conditions": _table("look after a sore knee | go easy on salt | tire quickly"),
    "therapy_background": _table("keep evenings calm | find large groups tiring | practise saying no"),
    "sensitive_info": _table("keep family matters private | share no address | do not speak about money"),
}
OCCASIONS = _table("""this weekend | next month | on a small budget | with an old friend | for a change |
    with two small children | after a long week | before the holidays | to celebrate a birthday | tomorrow |
    in early spring | with only a few hours to spare | without much planning | when the weather turns cold |
    during a week off | on a Monday evening | as a beginner | on a quiet Sunday | after the summer |
    on a rainy day | with the neighbours""")
RELATIONS = _table("sister | brother | neighbour | father | best friend | flatmate")
PERSONAL_OPENINGS = _table("""Since you {habit}, {who} might {idea} | As you {habit}, {who} could {idea} |
    Because you {habit}, I think that {who} would do well to {idea}""")
PLAIN_OPENINGS = _table("""Perhaps {who} might {idea} | Maybe {who} could {idea} | One idea is to {idea} |
    Without going into anything personal, I would say that {who} could {idea}""")
TOUCHES = _table(""", taking it slowly | , perhaps with a friend | , and keep the rest of the day free |
    , and then write down what went well | , leaving out whatever feels like a chore""")
CLOSINGS = _table("""It takes about an hour. | There is no need to prepare much. | Enjoy it! 🙂 |
    If it goes well, it can become a small habit. | A café crème afterwards rounds it off nicely.""")
JOBS = _table("librarian | bus driver | nurse | carpenter | geography teacher | baker | court clerk | tailor")
TOWNS = _table("Alder Bay | Northwick | San Telmo Hill | Grünau | Lower Marsh | Côte-Vieille")
SCENARIOS = _table("personal_email | chat_message | creative_writing | translation | knowledge_query")

GITATTRIBUTES = "*.parquet filter=lfs diff=lfs merge=lfs -text\n"
CARD = """---
license: cc0-1.0
configs:
- config_name: benchmark
  data_files:
  - split: text
    path: benchmark/text/benchmark.csv
---

# Everyday preferences

An invented benchmark: which of four answers suits the person who asks? No person or answer in it is real.
"""
USAGE = "\n## Columns\n\n`correct_answer` is the gold option, `incorrect_answers` lists three others.\n"
CONTACT = "\n## Questions\n\nPlease open a discussion.\n"
