"""Words of the invented laboratory tables, English and Spanish.

Substances and units are real words of the trade; places, companies, wells and
values are invented.
"""

from __future__ import annotations

from typing import Final
from typing import Literal

Language = Literal["en", "es"]

ANALYTES: Final[dict[Language, tuple[str, ...]]] = {
    "en": (
        "Benzene", "Toluene", "Ethylbenzene", "m,p-Xylenes", "o-Xylene", "Naphthalene", "MTBE",
        "Trichloroethene", "Tetrachloroethene", "Vinyl chloride", "cis-1,2-Dichloroethene",
        "1,1-Dichloroethane", "1,4-Dioxane", "Chloroform", "Carbon tetrachloride", "Acetone",
        "Methylene chloride", "Bromoform", "Styrene", "Isopropylbenzene", "Arsenic", "Barium",
        "Cadmium", "Chromium, total", "Chromium, hexavalent", "Copper", "Iron, dissolved", "Lead",
        "Manganese", "Mercury", "Nickel", "Selenium", "Silver", "Zinc", "Antimony", "Beryllium",
        "Thallium", "Nitrate as N", "Nitrite as N", "Ammonia as N", "Sulfate", "Chloride",
        "Fluoride", "Total dissolved solids", "Total suspended solids", "Total organic carbon",
        "Hardness as CaCO3", "Alkalinity, total", "TPH as gasoline", "TPH as diesel",
        "Perchlorate", "Cyanide, total", "Phenol", "Pyrene", "Chrysene",
    ),
    "es": (
        "Benceno", "Tolueno", "Etilbenceno", "m,p-Xilenos", "o-Xileno", "Naftaleno",
        "Tricloroeteno", "Tetracloroeteno", "Cloruro de vinilo", "cis-1,2-Dicloroeteno",
        "Cloroformo", "Tetracloruro de carbono", "Acetona", "Estireno", "Arsénico", "Bario",
        "Cadmio", "Cromo total", "Cromo hexavalente", "Cobre", "Hierro disuelto", "Plomo",
        "Manganeso", "Mercurio", "Níquel", "Selenio", "Plata", "Zinc", "Antimonio", "Talio",
        "Nitrato como N", "Nitrito como N", "Amoníaco como N", "Sulfato", "Cloruro", "Fluoruro",
        "Sólidos disueltos totales", "Sólidos suspendidos", "Carbono orgánico total",
        "Dureza como CaCO3", "Alcalinidad total", "Hidrocarburos totales", "Cianuro total",
        "Fenol", "Pireno", "Criseno",
    ),
}  # fmt: skip

LABELS: Final[dict[Language, dict[str, str]]] = {
    "en": {
        "analyte": "Analyte", "units": "Units", "limit": "Action level", "rl": "Reporting limit",
        "method": "Method", "well": "Well ID", "date": "Date", "sampled": "Date sampled",
        "depth": "Depth to water", "casing": "Top of casing", "elevation": "Groundwater elevation",
        "ph": "pH", "temperature": "Temperature", "conductivity": "Specific conductance",
        "oxygen": "Dissolved oxygen", "turbidity": "Turbidity", "orp": "ORP",
        "sample": "Sample ID", "lab": "Lab ID", "matrix": "Matrix", "interval": "Sample depth",
        "lead": "Lead", "arsenic": "Arsenic", "tph": "TPH-d", "pid": "PID reading",
        "location": "Location", "remarks": "Remarks", "result": "Result", "flag": "Flag",
        "source": "Emission source", "pollutant": "Pollutant", "permit": "Permit limit",
        "measured": "Measured rate", "status": "Status", "received": "Received",
    },
    "es": {
        "analyte": "Parámetro", "units": "Unidades", "limit": "Nivel de acción",
        "rl": "Límite de reporte", "method": "Método", "well": "Pozo", "date": "Fecha",
        "sampled": "Fecha de muestreo", "depth": "Profundidad al agua",
        "casing": "Cota de brocal", "elevation": "Nivel freático", "ph": "pH",
        "temperature": "Temperatura", "conductivity": "Conductividad eléctrica",
        "oxygen": "Oxígeno disuelto", "turbidity": "Turbiedad", "orp": "Potencial redox",
        "sample": "Código de muestra", "lab": "Código interno", "matrix": "Matriz",
        "interval": "Profundidad de muestra", "lead": "Plomo", "arsenic": "Arsénico",
        "tph": "Hidrocarburos", "pid": "Lectura PID", "location": "Ubicación",
        "remarks": "Observaciones", "result": "Resultado", "flag": "Calificador",
        "source": "Fuente de emisión", "pollutant": "Contaminante", "permit": "Límite permitido",
        "measured": "Tasa medida", "status": "Estado", "received": "Recepción",
    },
}  # fmt: skip

LOCATIONS: Final[dict[Language, tuple[str, ...]]] = {
    "en": (
        "North fence line, upgradient of the former tank pit",
        "East of the wash rack, asphalt surface",
        "Storm drain outfall 3, below the weir",
        "Southwest corner of the drum storage pad",
        "Along the haul road, 40 ft from the scale house",
        "Sump at the loading dock, after pump-out",
        "Background location in the unpaved lot",
        "Property boundary beside Alder Creek",
    ),
    "es": (
        "Cerca norte, aguas arriba del antiguo tanque",
        "Al este del patio de lavado, superficie asfaltada",
        "Descarga pluvial 3, debajo del vertedero",
        "Esquina suroeste del patio de tambores",
        "Camino de acarreo, a 12 m de la báscula",
        "Sumidero del andén de carga, después del bombeo",
        "Punto de fondo en el lote sin pavimentar",
        "Lindero junto al arroyo Los Alisos",
    ),
}

REMARKS: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("Slight odor", "Low yield", "Duplicate", "Clear", "Not sampled", "Sheen noted"),
    "es": ("Leve olor", "Bajo caudal", "Duplicado", "Clara", "Sin muestra", "Con película"),
}

SOURCES: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("Boiler 1", "Boiler 2", "Flare", "Degreaser", "Spray booth", "Kiln stack", "Generator"),
    "es": ("Caldera 1", "Caldera 2", "Antorcha", "Cabina", "Horno", "Generador", "Secador"),
}

SECTIONS: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("Volatile organic compounds", "Metals, dissolved", "General chemistry", "Semivolatiles"),
    "es": ("Compuestos volátiles", "Metales disueltos", "Química general", "Semivolátiles"),
}

GROUPS: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("March 2019", "June 2019", "September 2019", "Upper zone", "Lower zone", "Field data"),
    "es": ("Marzo 2019", "Junio 2019", "Septiembre 2019", "Zona alta", "Zona baja", "Campo"),
}

FOOTNOTES: Final[dict[Language, tuple[str, ...]]] = {
    "en": (
        "J = estimated value, below the reporting limit but above the detection limit.",
        "Bold values exceed the action level of the site management plan.",
        "NS = not sampled; -- = not analyzed. Depths are below top of casing.",
        "Results reported on a dry weight basis unless noted.",
    ),
    "es": (
        "J = valor estimado, por debajo del límite de reporte.",
        "Los valores en negrita superan el nivel de acción del plan.",
        "NM = no muestreado; -- = no analizado. Profundidades desde el brocal.",
        "Resultados expresados en base seca salvo indicación.",
    ),
}

MATRICES: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("Water", "Soil", "Sediment", "Vapor"),
    "es": ("Agua", "Suelo", "Sedimento", "Vapor"),
}

STATUSES: Final[dict[Language, tuple[str, ...]]] = {
    "en": ("In compliance", "Pending", "Exceeds"),
    "es": ("Cumple", "Pendiente", "Excede"),
}

METHODS: Final = ("EPA 8260D", "EPA 6020B", "EPA 300.0", "SM 2540C", "EPA 8270E", "EPA 7470A")

DOCUMENTS: Final[dict[Language, tuple[str, ...]]] = {
    "en": (
        "Groundwater monitoring report, Alder Creek landfill",
        "Annual stormwater report, Northgate terminal",
        "Soil investigation, former Halvorsen plating works",
        "Quarterly monitoring, Tamarack Flats depot",
        "Emission test report, Quarry Bend kiln",
        "Remedial progress report, Lower Mill site",
        "Laboratory report, Three Pines well field",
        "Closure sampling, Harbor Street tank farm",
    ),
    "es": (
        "Informe de monitoreo de aguas subterráneas, relleno Los Alisos",
        "Informe trimestral, planta de tratamiento Cerro Verde",
        "Investigación de suelos, antiguo taller La Espiga",
        "Informe de laboratorio, campo de pozos Tres Lomas",
    ),
}
