"""Which of the host's languages a text is in. Deterministic: script, letters, function words.

Chinese is told by its script. Spanish and English are told by their function words and by letters
only one of them has; the function words of their neighbours count too, so that French is not
taken for Spanish, nor German for English. Whatever stays unclear is "": the caller decides then.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_HAN: Final = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA_OR_HANGUL: Final = re.compile(
    r"[\u1100-\u11ff\u3041-\u3096\u30a1-\u30fa\u30fc-\u30ff\u3130-\u318f\uac00-\ud7af\uff66-\uff9f]"
)
_LATIN_WORD: Final = re.compile(
    r"(?<![a-z0-9])[a-z\u00df-\u00f6\u00f8-\u024f]++(?:'[a-z]++)?(?![0-9])"
)
"""Letters beside digits (``k7y``) are a code or a measure, no word."""
_NAME: Final = re.compile(r"(?<=[\w,] )[A-Z\u00c0-\u00de][a-z\u00df-\u00ff-]+")
"""A capitalised word inside a sentence: a name, which may come from any language."""
_FILE_NAME: Final = re.compile(
    r"[^\s\u2e80-\uffff]{1,80}\.(?:txt|md|csv|tsv|json|ya?ml|toml|html?|pdf|docx?|odt|xlsx?|png|jpe?g"
    r"|gif|webp|heic|zip|wav|mp3|m4a|ogg|flac|mp4|log|bin)\b",
    re.IGNORECASE,
)
"""What a file is called tells nothing of whoever names it."""
_ADDRESS: Final = re.compile(r"https?://\S+|(?<!\S)\S+?@\S+")
_MAX_CHARS: Final = 2_000
"""More than this tells nothing new."""

_EN: Final = frozenset(
    """
    delete file files open picture read remove send show
    a about above after again all almost along already also always am an and another any
    anything are aren't around as at away back be because been before behind below beside best
    between big both but by bye can can't could couldn't day did didn't do does doesn't doing
    don't down each either else enough even ever every everything feel few first for from full
    get gets getting go goes going good got great grow growing grown had has hasn't have
    haven't he hello her here hey hi him his how i i'd i'll i'm i've if in inside instead into
    is isn't it it's its just keep kept know last left let let's like little live long lots
    made make many maybe me mine more morning most much must my myself name near need needs
    never new next nice no nope not nothing now of off oh okay old on once one only or other
    our ours out outside over own please quite rather really right say see seven she should
    side since six small so some something soon still sun sure take tell ten than thank thanks
    that that's the their them then there there's these they they're thing things think this
    those three through to today together tomorrow tonight too twelve two under until up us
    use used using usually very want was wasn't water we we'd we'll we're we've well were
    weren't what what's when where which while who why will with within without won't would
    wouldn't yeah year years yes yesterday yet you you'd you'll you're your yours
    """.split()
)
_ES: Final = frozenset(
    """
    abre archivo archivos borra dame elimina enséñame envía envíame lee léeme mándame muestra
    muéstrame pásame
    a abajo acabo acá además adiós agua ahora ahí al algo algunas algunos algún allá allí ante
    antes aquel aquella aquí arriba así aunque año años aún bajo bastante bien buen buena
    buenas bueno buenos cada casa casi cerca cinco claro como compré con contra cual cuando
    cuatro cuál cuándo cuánto cómo da de debajo del delante demás dentro desde después detrás
    donde dos durante dónde e el ella ellas ellos en encima entonces entre era es esa esas ese
    eso esos esta estaba estamos estas este esto estos estoy está están favor fue genial
    gracias gusta gustan ha hace hacia han hasta hay he hemos hola hoy iba jamás junto la lado
    las le lejos les llamo lo los luego mañana me media medio menos mi mis mismo mitad mucha
    muchas mucho muchos muy más mí nada ni ninguna ninguno ningún no noche nos nosotros
    nuestra nuestras nuestro nuestros nueva nuevo nunca o os otra otras otro otros para
    perfecto pero poca poco pocos poquito por porque prefiero primero puedo pues que quien
    quiero quizá quizás quién qué recuerdas sale se sea seis ser si siempre sin sino sobre sol
    sola solamente solo son soy su sus sé sí sólo tal también tampoco tan tanto tardes te
    tenemos tengo tenía ti tiene tienen toca toda todas todavía todo todos trabajo tras tres
    tu tus tuve tuyo tú u un una unas uno unos usamos uso usted ustedes va vale vamos varias
    varios vez viven vivimos vivo voy y ya yo él
    """.split()
)
_NEIGHBOURS: Final = tuple(
    frozenset(words.split())
    for words in (
        # French
        """au aux avec bonjour ce ces cette chez c'est d'une dans de des du elle en est et il ils
        j'ai je la le les leur ma mais merci mes moi mon ne nos notre nous on ou où par pas plus
        pour qu'il que qui sa ses son sont sur tu un une vous y à été être""",
        # Portuguese
        """a ao as até com da das de do dos e ela ele em essa esse está estão eu foi isso já mais
        mas me meu meus minha minhas muito na nas no nos não nós o obrigado olá os ou para pela
        pelo por que se sem seu sua são também tem tenho temos um uma vocês você é""",
        # Italian
        """abbiamo al alla anche che ciao come con da degli dei del della delle di e ed gli grazie
        ho i il in io la le lo ma mi mia mio nel nella non per perché più quando questa questo se
        si sono su sul tre un una è""",
        # Catalan, Galician
        """a als amb aquest aquesta dels el els en és ha hi ho i jo la meu meva molt no només però
        per són tinc tres un una máis moito non teño unha""",
        # German
        """aber als am an auch auf aus bei bin bitte danke das dem den der des die ein eine einen
        es für guten habe haben hallo hat ich ihr im in ist ja kein keine mein meine mit nach nicht
        noch nur oder sehr sich sie sind und uns unser von vor war was wenn wie wir zu zum zur
        über""",
        # Dutch
        """aan bij dat de deze die een en er geen heb hebben heeft het hoi ik in is maar met mijn
        naar niet nog onze ook op te van veel voor was we wij ze zijn zon""",
        # Swedish, Danish, Norwegian
        """af at av de den det ei en er et ett från fra för har hej i ikke inte jag jeg med men
        mig min mine mitt når och og om på som til till vi är""",
    )
)
_SPANISH_LETTERS: Final = re.compile(r"[ñ¿¡]")
_SPANISH_ACCENTS: Final = re.compile(r"[áíóú]")
_FOREIGN_LETTERS: Final = re.compile(r"[ßäöåæøœçãõâêîôûàèìòùëï]")
_ENGLISH_FORMS: Final = re.compile(
    r"\b(?:\w{3,}ing|\w{3,}ly|\w{3,}ness|\w{2,}ght|\w{2,}tch(?:es)?|\w+'(?:s|re|ve|ll|d|m)|\w+n't)\b"
)
_SPANISH_FORMS: Final = re.compile(
    r"\b(?:\w{2,}ci[oó]n(?:es)?|\w{3,}mente|\w{2,}[ai]d[oa]s?|\w{2,}[aei]mos|\w{2,}it[oa]s?"
    r"|\w{2,}ill[oa]s?|\w{2,}(?:é|í)|\w{2,}ndo|\w{2,}osos?)\b"
)


def detect(text: str) -> str:
    """The language of a text: "en", "es", "zh", or "" when it is another or stays unclear."""
    text = unicodedata.normalize("NFKC", text[:_MAX_CHARS]).replace("\u2019", "'")
    text = _FILE_NAME.sub(" ", _ADDRESS.sub(" ", text))
    return _detect(_NAME.sub("", text).casefold()) or _detect(text.casefold())


def _detect(text: str) -> str:
    words = _LATIN_WORD.findall(text)
    han = len(_HAN.findall(text))
    cjk = han + len(_KANA_OR_HANGUL.findall(text))
    if cjk and cjk >= len(words):
        return "zh" if cjk == han else ""
    if _other_letters(text) > sum(map(len, words)) + cjk:
        return ""
    scores = _scores(text, words)
    best, second = sorted(scores.values(), reverse=True)[:2]
    if cjk > best:
        return "zh" if cjk == han else ""
    return max(scores, key=lambda language: scores[language]) if best > second else ""


def _other_letters(text: str) -> int:
    """Letters of scripts that none of the languages uses."""
    return sum(
        char.isalpha()
        and ord(char) > 0x24F
        and not (_HAN.match(char) or _KANA_OR_HANGUL.match(char))
        for char in text
    )


def _scores(text: str, words: list[str]) -> dict[str, float]:
    """How much speaks for English, for Spanish, and ("") for a neighbour of theirs."""
    neighbour = max(_known(words, neighbour) for neighbour in _NEIGHBOURS)
    return {
        "en": _known(words, _EN) + 0.5 * len(_ENGLISH_FORMS.findall(text)),
        "es": _known(words, _ES)
        + 2.0 * bool(_SPANISH_LETTERS.search(text))
        + 0.6 * len(_SPANISH_ACCENTS.findall(text))
        + 0.5 * len(_SPANISH_FORMS.findall(text)),
        # A little less: words shared with a neighbour alone do not cast doubt.
        "": neighbour - 0.25 + 0.8 * len(_FOREIGN_LETTERS.findall(text)),
    }


def _known(words: list[str], known: frozenset[str]) -> float:
    return float(sum(word in known for word in words))
