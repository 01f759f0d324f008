"""Time in Spanish; folded, so without accents (``mañana`` is ``manana``)."""

from __future__ import annotations

from typing import Final

from cloche.memory.extraction.timebound.tables import TimeWords, before, behind, one_of, words

_WEEKDAYS: Final = {
    "lunes": 0,
    "martes": 1,
    "miercoles": 2,
    "jueves": 3,
    "viernes": 4,
    "sabado": 5,
    "domingo": 6,
}
_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            ("enero",),
            ("febrero",),
            ("marzo",),
            ("abril",),
            ("mayo",),
            ("junio",),
            ("julio",),
            ("agosto",),
            ("septiembre", "setiembre"),
            ("octubre",),
            ("noviembre",),
            ("diciembre",),
        ),
        start=1,
    )
    for name in names
}
_RELATIVE: Final = {
    "pasado manana": 2,
    "manana por la manana": 1,
    "manana": 1,
    "hoy": 0,
    "esta noche": 0,
    "esta tarde": 0,
    "esta manana": 0,
    "este mediodia": 0,
    "ahora mismo": 0,
    "medianoche": 0,
    "mediodia": 0,
    "ayer": -1,
    "anoche": -1,
    "anteayer": -2,
}
_UNITS: Final = {
    name + ending: unit
    for unit, name, many in (
        ("minute", "minuto", "s"),
        ("hour", "hora", "s"),
        ("day", "dia", "s"),
        ("day", "noche", "s"),
        ("week", "semana", "s"),
        ("month", "mes", "es"),
        ("year", "ano", "s"),
    )
    for ending in ("", many)
} | {"quincena": "fortnight", "fin de semana": "weekend", "finde": "weekend"}
_WHICH: Final[dict[str, int | None]] = {
    "": None,
    "este": 0,
    "esta": 0,
    "de": 0,
    "del": 0,
    "el proximo": None,
    "proximo": None,
    "proxima": 1,
    "la proxima": 1,
    "que viene": 1,
    "siguiente": 1,
}
_NUMBERS: Final[dict[str, float]] = {
    "un par de": 3,
    "unos cuantos": 6,
    "unas cuantas": 6,
    "unos": 6,
    "unas": 6,
    "varios": 6,
    "varias": 6,
    "algunos": 6,
    "algunas": 6,
    "medio": 0.5,
    "media": 0.5,
    "un": 1,
    "una": 1,
    "dos": 2,
    "tres": 3,
    "cuatro": 4,
    "cinco": 5,
    "seis": 6,
    "siete": 7,
    "ocho": 8,
    "nueve": 9,
    "diez": 10,
    "doce": 12,
    "quince": 15,
    "veinte": 20,
    "treinta": 30,
}
_MONTH: Final = one_of(_MONTHS)

SPANISH: Final = TimeWords(
    points=tuple(
        words(point)
        for point in (
            r"(?P<iso>\d{4}-\d\d?-\d\d?)",
            rf"(?:(?:el )?(?P<which>este|proximo) |el )?(?P<weekday>{one_of(_WEEKDAYS)})"
            r"(?: que viene| por la (?:manana|tarde|noche))?",
            rf"(?:el )?(?:dia )?(?P<day>\d{{1,2}})(?: de)? (?P<month>{_MONTH})"
            r"(?:(?: de| del)? (?P<year>(?:19|20)\d\d))?",
            r"(?:el )?(?P<day>\d{1,2})/(?P<month>\d{1,2})(?:/(?P<year>(?:19|20)\d\d))?",
            r"el (?:dia )?(?P<day>\d{1,2})(?![\d:/])(?! de (?!este|ahora))",
            rf"(?:(?:el )?(?:final(?:es)?|fin|mediados|principios) de )?(?P<month>{_MONTH})"
            r"(?:(?: de| del)? (?P<year>(?:19|20)\d\d))?",
            rf"(?<!la )(?<!cada )(?P<relative>{one_of(_RELATIVE)})(?! en dia)",
            r"(?:el )?(?P<which>este) (?P<unit>fin de semana|finde|mes|ano)",
            r"(?P<which>esta) (?P<unit>semana)",
            r"(?:el |la )?(?P<unit>fin de semana|finde|mes|ano|semana) (?P<which>que viene"
            r"|proxim[oa]|siguiente)",
            r"(?:la )?(?P<which>proxima) (?P<unit>semana)",
            r"(?:el )?(?P<which>proximo) (?P<unit>fin de semana|finde|mes|ano)",
            r"(?:el )?fin(?:al(?:es)?)? (?P<which>de|del)(?: la)? (?P<unit>semana|mes|ano)",
            r"(?P<year>20\d\d)(?![-/.:]\d)",
        )
    ),
    weekdays=_WEEKDAYS,
    months=_MONTHS,
    relative=_RELATIVE,
    units=_UNITS,
    which=_WHICH,
    numbers=_NUMBERS,
    length=words(
        rf"(?P<count>\d{{1,4}}|{one_of(_NUMBERS)}) (?P<unit>{one_of(_UNITS)})(?P<more> mas)?"
    ),
    until_before=before(
        r"(?:hasta|para|antes de|antes del|a mas tardar|como tarde)"
        r"(?: (?:el|la|casi|por lo menos|al menos|mas o menos))*"
    ),
    until_after=behind(r"como (?:muy )?tarde|a mas tardar"),
    back_before=before(
        r"(?:vuelv[oe]n?|volvemos|volvere(?:mos)?|volvera|regres[oa]n?|regresamos|regresare(?:mos)?"
        r"|regresara|de vuelta|de regreso|reabre)(?: (?!los|las|cada|todos)\w+){0,2}?(?: el| en)?"
    ),
    back_after=behind(r"(?:ya )?(?:vuelv[oe]|volvemos|regres[oa]|regresamos|estoy de vuelta)"),
    lasts_before=before(
        r"(?:durante|por|me voy|nos vamos|me quedo|nos quedamos|estare(?:mos)?)"
        r"(?: (?:unos|al menos|por lo menos|mas o menos|otros|otras|casi))*"
    ),
    lasts_after=behind(r"(?:de vacaciones|fuera|de baja|de viaje)"),
    ahead_before=before(
        r"(?:durante |en |por )?(?:l[oa]s )?proxim[oa]s|durante otr[oa]s?|otr[oa]s?"
    ),
    no_end_before=before(
        r"(?:desde|a partir de|a partir del|despues de|tras|cada|todos|todas|pasado|los|las|la"
        r"|hace|de)(?: (?:el|la|los|las|hace))?"
    ),
    no_end_after=behind(r"pasad[oa]|en adelante"),
    recurring=words(
        rf"(?:todos|todas|cada|los) (?:los |las )?(?:semanas?|mes(?:es)?|anos?|{one_of(_WEEKDAYS)}"
        r"|sabados|domingos)|cumpleanos|aniversario|semanalmente|mensualmente|entre semana"
        rf"|los fines de semana|de {one_of(_WEEKDAYS)} a"
        # "Trabajo lunes, miércoles y viernes" is a habit.
        r"|(?:(?!tengo|salgo|vengo|vuelvo|viajo|quiero|necesito|puedo)[a-z]{3,}o (?:solo )?"
        r"|dias son )(?:el )?"
        rf"{one_of(_WEEKDAYS)}(?:(?:, ?| y | ?/ ?)(?:el )?{one_of(_WEEKDAYS)})+"
    ),
    habitual=words(
        r"siempre|normalmente|habitualmente|suelo|suele|solemos|a menudo|nunca|jamas"
        r"|todos los dias|cada (?:dia|manana|noche|tarde)|todas las (?:noches|mananas|tardes)"
    ),
    past=words(
        r"estuve|estuvo|estuvimos|estaba|estabamos|era|eramos|fui|fue|fuimos|tuve|tuvimos|vivi"
        r"|trabaje|pase|pasamos|viviamos|vivia"
        r"|he|hemos|ha|llevo|llevamos|hice|hicimos|regue|dormi|llovio"
    ),
    present=words(
        r"estoy|estamos|esta|estan|estare(?:mos)?|estara|voy|vamos|va|ire|me voy|nos vamos|tengo"
        r"|tenemos|no|puedo|podemos|debo|hay|fuera|de vacaciones|de baja|cerrad[oa]|seguire"
        r"|sera|ser[ae]n|me quedo|nos quedamos|se queda|viene|vienen|espero|esperamos|soy"
    ),
    moment=words(
        r"estoy|estamos|(?:esta|estan)(?! abiert)|estare(?:mos)?|estara|voy|vamos|va|ire|me voy"
        r"|nos vamos|hoy|esta noche|ahora|fuera|de baja|cerrad[oa]|seguire"
    ),
    lasting=words(
        r"compr(?:e|amos|o)|plant(?:e|amos|o)|sembr(?:e|amos|o)|adopt(?:e|amos|o)"
        r"|constru(?:i|imos|yo)|instal(?:e|amos|o)|vend(?:i|imos|io)|perd(?:i|imos|io)|romp(?:i|io)"
        r"|(?:me|nos) (?:mude|mudamos|case|casamos|jubile)|hered(?:e|amos)|recib(?:i|imos)"
        r"|mont(?:e|amos)|trasplant(?:e|amos|o)|pint(?:e|amos)|repar(?:e|amos)|empec(?:e)|empezamos"
        r"|empezo|naci(?:o)?|murio|cambi(?:e|amos|o)|dej(?:e|amos)|recog(?:i|imos)|cosech(?:e|amos)"
        r"|(?:he|hemos|ha) (?:comprado|plantado|sembrado|adoptado|vendido|perdido|visto|notado"
        r"|encontrado|descubierto|empezado|cambiado|dejado|trasplantado|decidido|recibido)"
        r"|se (?:rompio|averio|estropeo)"
        # What is gone for good, or hurt, is so on the next day, too.
        r"|arranqu(?:e|amos)|arranc(?:amos|aron)|(?<!no )arranco|quit(?:e|amos|aron)"
        r"|tir(?:e|amos|aron)|regal(?:e|amos|aron)|don(?:e|amos)|tal(?:e|amos|aron)"
        r"|elimin(?:e|amos|aron)|desmont(?:e|amos|aron)|derrib(?:e|amos|aron)|devolv(?:i|imos)"
        r"|(?:se|me|nos) (?:l[oa]s? |han |ha )?(?:com(?:io|ieron|ido)|rob(?:o|aron|ado)|sec(?:o"
        r"|aron|ado)|pudri(?:o|eron)|rompieron|quem(?:o|aron)|marchit(?:o|aron)|llevaron)"
        r"|murieron|falleci(?:o|eron)|mat(?:e|amos|aron)|destru(?:i|yo|yeron)"
        r"|destroz(?:e|o|aron)|romp(?:imos|ieron)|ya no (?:l[oa]s? )?(?:tengo|tenemos)"
        r"|(?:he|hemos|ha|han) (?:arrancado|quitado|tirado|regalado|donado|talado|muerto|roto"
        r"|eliminado|destrozado|destruido)"
        r"|cancel(?:e|amos) (?:la|mi|el) (?:suscripcion|membresia|contrato|cuenta)"
        r"|me (?:torci|lesione|lastime|hice dano|disloque|fracture|desgarre|corte|queme)"
        r"|not(?:e|amos)|vi|vimos|descubri(?:mos|o)?|me di cuenta|encontr(?:e|amos)|resulto|supe"
        r"|decidi(?:mos)?|termin(?:e|amos)|me dieron|me dijeron|conoci"
    ),
    yearly=words(r"tenemos|hay|hace|suele haber"),
    owning=words(
        r"tengo (?:un|una|dos|tres|cuatro|cinco|varios|varias|\d+)|tenemos (?:un|una|dos|tres"
        r"|\d+)|hay (?:un|una|dos)|se llama|soy una?|me llamo|vivo|vivimos|alergi\w+"
    ),
)
