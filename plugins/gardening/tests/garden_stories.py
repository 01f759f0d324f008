"""Three days of talk in each language: what gardeners tell one thing at a time, among small talk.

``keep`` are statements to remember, word for word; ``drop`` holds nothing worth keeping. The order
inside a day is the order of the talk. Wording is a person's, not an example file's.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One message of a gardener: whether it is to be remembered, and what it must bring back."""

    text: str
    keep: bool
    plants: tuple[str, ...] = ()
    """Words of the sentence that name plants: they must be in the answer on day four."""


@dataclass(frozen=True, slots=True)
class Story:
    """Three days in one language, and the question on the fourth."""

    language: str
    days: tuple[tuple[Line, ...], ...]
    question: str

    @property
    def kept(self) -> tuple[Line, ...]:
        """Every line to remember."""
        return tuple(line for day in self.days for line in day if line.keep)

    @property
    def dropped(self) -> tuple[Line, ...]:
        """Every line with nothing to remember."""
        return tuple(line for day in self.days for line in day if not line.keep)

    @property
    def plants(self) -> tuple[str, ...]:
        """All plants told, as the person wrote them."""
        return tuple(plant for line in self.kept for plant in line.plants)


def _keep(text: str, *plants: str) -> Line:
    return Line(text, keep=True, plants=plants)


def _drop(text: str) -> Line:
    return Line(text, keep=False)


ENGLISH = Story(
    "en",
    (
        (
            _drop("Morning! Coffee first, then the world."),
            _keep("We moved into a little terraced house in Leeds two years ago."),
            _keep("There's a fig against the back wall that came with the house.", "fig"),
            _drop("It poured all night, I hardly slept."),
            _keep("My long bed faces south and bakes in July."),
            _drop("Thanks, that's kind of you."),
            _keep("Mexican petunias, a whole row of them, in the Corten planter.", "petunias"),
        ),
        (
            _drop("Hey again, how's it going?"),
            _keep("Soil here is heavy clay, I could make pots from it."),
            _keep("Two old apple trees at the bottom, no idea what sort.", "apple"),
            _drop("My sister's visiting on Sunday, so I'm baking a cake."),
            _keep("Only organic stuff goes on my beds, nothing else."),
            _drop("What a gorgeous evening!"),
            _keep("The corner by the shed gets maybe two hours of sun."),
            _keep(
                "I sowed radishes and lettuce in the raised bed on Saturday.", "radish", "lettuce"
            ),
        ),
        (
            _drop("Ugh, Mondays."),
            _keep("No, the fig is on the west wall, not the back one.", "fig"),
            _keep("I can't stand the smell of marigolds.", "marigold"),
            _drop("Did you see the match last night?"),
            _keep("Lavender along the path, three plants so far.", "lavender"),
            _keep("Our dog digs up anything that's freshly planted."),
            _drop("Right, off to work, speak later!"),
            _keep("A rosemary in a pot by the kitchen door.", "rosemary"),
        ),
    ),
    "do you remember the other plants in my garden?",
)

SPANISH = Story(
    "es",
    (
        (
            _drop("¡Buenos días! ¿Qué tal va la mañana?"),
            _keep("Vivo en un ático de Valencia con una terraza grande."),
            _keep("Tengo dos limoneros en macetones, uno a cada lado de la puerta.", "limonero"),
            _drop("Uf, qué calor hace hoy."),
            _keep("La terraza mira al oeste y por la tarde pega fuerte el sol."),
            _drop("Mil gracias, eres un encanto."),
            _keep("Albahaca y perejil en la ventana de la cocina.", "albahaca", "perejil"),
        ),
        (
            _drop("Hola otra vez, ya estoy por aquí."),
            _keep("La tierra de las jardineras es muy arenosa y se seca enseguida."),
            _keep("Planté tres tomateras junto a la barandilla la semana pasada.", "tomatera"),
            _drop("Anoche vimos una película malísima."),
            _keep("Solo uso abono orgánico, nada de químicos."),
            _drop("¡Por fin viernes!"),
            _keep("En el patio de abajo hay una buganvilla enorme.", "buganvilla"),
            _keep("El rincón del fondo está siempre a la sombra."),
        ),
        (
            _drop("¿Has dormido bien? Jaja, es broma."),
            _keep("No me gustan nada los geranios.", "geranio"),
            _keep("Mi gata se come las hojas de todo lo que alcanza."),
            _drop("Esta tarde voy al cine con mi prima."),
            _keep("Un romero viejo que heredé de mi abuela.", "romero"),
            _keep("No, los limoneros están en la parte de atrás, me equivoqué.", "limonero"),
            _drop("Bueno, me voy a cenar. ¡Hasta luego!"),
            _keep("También hay fresas colgando de la pared norte.", "fresa"),
        ),
    ),
    "¿te acuerdas de las otras plantas de mi jardín?",
)

CHINESE = Story(
    "zh",
    (
        (
            _drop("早上好呀！"),
            _keep("我住在成都，一楼带个小院子。"),
            _keep("院子东边有一棵老石榴树，是前房主留下的。", "石榴"),
            _drop("今天又下雨了，好烦。"),
            _keep("我在墙根种了一排月季。", "月季"),
            _drop("谢谢你，真贴心。"),
            _keep("南边的花坛从早晒到晚。"),
        ),
        (
            _drop("我回来啦，刚吃完饭。"),
            _keep("土是黏土，一下雨就积水。"),
            _keep("三盆薄荷放在厨房窗台上。", "薄荷"),
            _drop("昨晚的电影太无聊了。"),
            _keep("我只用有机肥，从来不打农药。"),
            _drop("终于到周末了！"),
            _keep("番茄种了四株，搭了架子。", "番茄"),
            _keep("北边的角落一天最多两个小时太阳。"),
        ),
        (
            _drop("你今天怎么样？"),
            _keep("不对，石榴树在西边，我记错了。", "石榴"),
            _keep("我不喜欢绣球花。", "绣球"),
            _drop("困死了，昨天加班到十点。"),
            _keep("家里有只猫，老爱啃吊兰。", "吊兰"),
            _keep("还有两棵蓝莓，养在大陶盆里。", "蓝莓"),
            _drop("先不聊了，我去上班。"),
            _keep("韭菜长在后墙那边，一茬一茬地割。", "韭菜"),
        ),
    ),
    "你还记得我花园里其他的植物吗？",
)

STORIES = (ENGLISH, SPANISH, CHINESE)
