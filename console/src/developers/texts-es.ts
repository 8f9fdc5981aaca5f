import type { Format } from '../format.ts';
import type { DeveloperTexts } from './texts.ts';

const members = (n: number, f: Format) => f.plural(n, { one: '1 cliente', other: `${f.number(n)} clientes` });

const times = (n: number, f: Format) => f.plural(n, { one: 'una vez', other: `${f.number(n)} veces` });

const UNITS = {
  hours: ['hora', 'horas'],
  days: ['día', 'días'],
  weeks: ['semana', 'semanas'],
  months: ['mes', 'meses'],
  years: ['año', 'años'],
} as const;

export const es: DeveloperTexts = {
  parts: { '': 'Claves', problems: 'Fallos', commands: 'Comandos', clock: 'Reloj' },
  showMore: 'Mostrar más',
  copy: 'Copiar',
  copied: 'Copiado',
  notCopied: 'El navegador no permite copiar. Selecciona el texto y cópialo tú.',

  keysTitle: 'Claves de API',
  keysText: 'Con ellas llaman tus servidores y programas al servicio. Da a cada uno la suya.',
  createKey: 'Crear una clave',
  noKeys: 'No hay ninguna clave en uso',
  noKeysText: 'Crea una para tu caja o tu tienda en línea. Solo se ve una vez: ten listo un lugar seguro.',
  endedKeys: (n) => (n === 1 ? '1 clave terminada' : `${n} claves terminadas`),
  columns: {
    name: 'Clave',
    used: 'Último uso',
    created: 'Creada',
    call: 'Llamada',
    answer: 'Respuesta',
    at: 'Cuándo',
    field: 'Nombre',
    calls: 'En',
    last: 'Última vez',
  },
  acts: 'Acciones',
  actsOf: (name) => `Acciones de ${name}`,
  neverUsed: 'Nunca',
  contract: 'Caja o tienda en línea',
  ofBackOffice: (role) => `Administración: ${role}`,
  endsAt: (at) => `Termina el ${at}`,
  replace: 'Reemplazar',
  replaceHint: 'Una clave nueva, y tiempo para cambiar',
  problemsOfKey: 'Llamadas fallidas',
  revoke: 'Revocar',

  createTitle: 'Crear una clave',
  nameOfKey: '¿Para qué es?',
  nameHint: 'Por ejemplo, «Tienda en línea» o «Caja del puerto».',
  nameNeeded: 'Ponle un nombre para distinguirla de las demás.',
  kindOfKey: '¿Qué puede hacer?',
  kindHints: {
    contract: 'Registra compras, busca clientes y canjea códigos.',
    cashier: 'Para un programa que hace en la administración lo que haría un cajero.',
    manager: 'Para un programa que también lee y corrige clientes.',
    owner: 'Para un programa que puede hacer casi todo. No puede crear claves ni cambiar el equipo.',
  },
  replaceTitle: (name) => `Reemplazar la clave «${name}»`,
  overlap: 'La clave anterior se acepta',
  overlaps: {
    0: 'Ya no',
    1: 'Durante 1 hora más',
    24: 'Durante 24 horas más',
    168: 'Durante 7 días más',
    720: 'Durante 30 días más',
  },
  replaceNew: 'Recibes una clave nueva con el mismo nombre. Funciona enseguida.',
  replaceOld: (at) => `Hasta el ${at} se acepta también la anterior: cambia antes todos los servidores.`,
  replaceAtOnce: 'Los servidores que aún usen la anterior se rechazan en cinco segundos.',
  lastUsed: (at) => `Último uso de esta clave: ${at}`,
  notUsedYet: 'Esta clave no se ha usado nunca.',
  revokeTitle: (name) => `¿Revocar la clave «${name}»?`,
  revokeEffect: 'Los servidores que la usan se rechazan en cinco segundos.',
  notUndone: 'No se puede deshacer.',
  revoked: (name) => `La clave «${name}» está revocada`,
  shownTitle: (name) => `La clave de «${name}»`,
  shownText: 'Cópiala ahora. No se guarda y no se puede volver a mostrar.',
  theKey: 'La clave',
  tryIt: 'Pruébala',
  keepContract: 'Guárdala en tu servidor. En una página web o una aplicación, cualquiera podría leerla.',
  keepBackOffice: 'Guárdala con el programa. Solo sirve para la administración.',
  kept: 'La he guardado',
  unknownKey:
    'No llegó respuesta. Puede que se haya creado una clave que nadie ha visto. Cierra esto, revócala si está en la lista e inténtalo de nuevo.',
  unknownRevoked: 'No llegó respuesta. Inténtalo de nuevo: revocar dos veces no hace daño.',
  problems: {
    key_ended: 'Mientras tanto se reemplazó o revocó esta clave. No se ha hecho nada.',
    too_many_keys: 'La tienda ya tiene 100 claves. Revoca las que nadie usa.',
    clock_moving: 'El reloj ya está en camino. Espera a que llegue.',
    not_a_sandbox: 'El reloj no se puede mover hasta ahí.',
  },

  problemsTitle: 'Llamadas fallidas',
  problemsText:
    'Llamadas de tus claves que se rechazaron o fallaron en los últimos siete días. Lo enviado no se guarda: búscalo en tu propio registro por el id de la petición.',
  ofKey: 'Clave',
  allKeys: 'Todas las claves',
  copyRequest: 'Copiar el id de la petición',
  noProblems: 'No ha fallado ninguna llamada en los últimos siete días',
  noProblemsText: 'Una llamada que falla aparece aquí a los pocos segundos.',

  ignoredTitle: 'Enviado en vano',
  ignoredText:
    'Campos, parámetros y cabeceras que el servicio no conoce y ha ignorado en los últimos treinta días: casi todos están mal escritos. Los valores no se guardan.',
  callsOf: (count, n) => (n === 1 ? '1 llamada' : `${count} llamadas`),

  commandsTitle: 'Comandos',
  commandsText:
    'Todas las llamadas de la interfaz, con los ids de tu tienda. Las que registran o canjean lo hacen de verdad.',
  reference: 'Todos los campos y respuestas están en la referencia.',
  before: 'Pon antes tu clave en la terminal. No se guarda, así que no puede estar aquí.',
  tags: {
    Consumptions: 'Compras',
    Clients: 'Clientes',
    Benefits: 'Beneficios',
    Public: 'Público',
    Authentication: 'Entrada de los clientes',
    'My account': 'Cuenta del cliente',
  },
  credentials: {
    key: 'Con tu clave de API, desde tu servidor.',
    user: 'Con el token de acceso de un cliente: la respuesta al entrar con un código.',
    header: 'Sin clave, también desde una página web.',
  },

  clockTitle: 'Reloj de pruebas',
  clockText:
    'Adelanta el tiempo de tu programa y mira qué pasa: vencen puntos, llegan cumpleaños, terminan niveles.',
  clockNow: 'Para el programa es el',
  count: 'Número',
  unit: 'Unidad',
  units: { hours: 'Horas', days: 'Días', weeks: 'Semanas', months: 'Meses', years: 'Años' },
  duration: (n, unit, f) => f.plural(n, { one: `1 ${UNITS[unit][0]}`, other: `${n} ${UNITS[unit][1]}` }),
  moveClock: 'Mover',
  countProblem: 'Escribe un número entero de 1 a 10.000.',
  onlyForward: 'Un reloj solo avanza. Aquí nada es real, pero lo que vence queda hecho.',
  onItsWay: (to) => `En camino hacia el ${to}: lo que vence ocurre en orden, así que puede tardar.`,
  moved: (from, to) => `${from} → ${to}`,
  nothingDue: 'No venció nada.',
  due: {
    'expire-points': (n, f) => `Vencieron puntos ${times(n, f)}`,
    'expire-tiers': (n, f) => `Terminaron o se renovaron niveles ${times(n, f)}`,
    birthdays: (n, f) =>
      f.plural(n, { one: '1 premio de cumpleaños', other: `${f.number(n)} premios de cumpleaños` }),
    'monthly-top': (n, f) => `Se premió al mejor cliente del mes ${times(n, f)}`,
    reminders: (n, f) => `Avisos de puntos que terminan: ${f.number(n)}`,
  },
  dueFailed: (n, f) => `Algo falló para ${members(n, f)}. Se intenta de nuevo.`,
  stopped: 'Se detuvo en el camino. Mueve el reloj otra vez para seguir.',
  movesBefore: 'Antes',
  commandLine: 'Línea de comandos',
  realClock: (now) => `Es el ${now}`,
  realClockText:
    'Los clientes de esta tienda son reales, así que su reloj no se puede mover. Pide una tienda de pruebas para ver qué hace el tiempo.',
};
