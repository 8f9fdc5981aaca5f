import type { Format } from '../../format.ts';
import type { en } from './texts-en.ts';

const people = (n: number, f: Format) => f.plural(n, { one: '1 cliente', other: `${f.number(n)} clientes` });
const points = (n: number, f: Format) => f.plural(n, { one: '1 punto', other: `${f.number(n)} puntos` });

const WORDS = ['Ningún', 'Un', 'Dos', 'Tres', 'Cuatro', 'Cinco', 'Seis', 'Siete', 'Ocho', 'Nueve', 'Diez'];

export const es: typeof en = {
  where: 'Dónde estás',
  title: (n, f) => `${WORDS[n] ?? f.number(n)} ${n === 1 ? 'cambio' : 'cambios'}, aún sin publicar`,
  comparedWith: (version, day) => `Comparado con la ${version.toLowerCase()}, en vigor desde el ${day}.`,
  keepEditing: 'Seguir editando',
  publish: 'Publicar',
  nothing: 'Nada que revisar',
  nothingText: 'El programa está como en vigor. Cambia algo y vuelve para ver qué haría.',
  whatChanges: 'Qué cambia',
  dropChange: (name) => `Dejar como estaba: ${name}`,
  dropChangeShort: 'Dejar este cambio como estaba',
  changeDropped: 'Un cambio queda como estaba.',
  notChecked: 'No se pudieron comprobar los cambios',
  problemsText: 'Lo que haría el programa se muestra en cuanto todo esté bien.',
  correct: 'Corregir',

  rangeLabel: 'Comparar con',
  ranges: { year: '12 meses', quarter: '3 meses', month: '30 días' },
  running: 'Repasando tus compras con las reglas nuevas…',
  runningText: 'No se cambia nada, y la caja sigue como siempre.',
  progress: (percent, purchases) => `${percent} %, ${purchases} compras`,
  waiting: 'Esperando turno…',
  place: (place) => (place === 1 ? 'Es el siguiente' : `Puesto ${place} en la cola`),
  waitingText:
    'Otras tiendas están calculando el suyo. Empieza solo en unos minutos, si esta página sigue abierta.',
  stop: 'Parar',
  stopped: 'Parado',
  stoppedText: 'Puedes publicar sin conocer el efecto, o calcularlo otra vez.',
  busy: 'Se está calculando otro efecto',
  busyText:
    'El servicio calcula solo unos pocos a la vez, para que la caja siga siendo rápida. Prueba otra vez enseguida.',
  late: 'Es demasiado para calcularlo de una vez',
  lateText: 'Dos minutos no han bastado. Compara con un tiempo más corto.',
  failed: 'No se pudo calcular el efecto',
  runAgain: 'Calcular otra vez',

  pointsGiven: 'Puntos que habrían ganado los clientes',
  basis: (from, to, purchases, buyers, f) =>
    purchases === 0
      ? `No hubo compras del ${from} al ${to}, así que aún no hay nada que comparar.`
      : `Según ${f.plural(purchases, { one: 'la compra real', other: `las ${f.number(purchases)} compras reales` })} de ${people(buyers, f)}, del ${from} al ${to}.`,
  same: 'igual',
  insteadOf: 'en vez de',
  more: (percent) => `${percent} más`,
  fewer: (percent) => `${percent} menos`,
  inForce: 'Como fue',
  proposed: 'Propuesto',
  byMonth: 'Puntos por mes',
  asTable: 'Como tabla',
  month: 'Mes',
  purchases: 'Compras',
  liability: 'Puntos que tendrían ahora los clientes',
  heldBy: (n, f) => `De ${people(n, f)}. La tienda se los debe.`,
  endsWhen: 'Cuándo vencen',
  never: 'nunca',
  expired: 'Puntos que habrían vencido sin gastarse',
  expiredText: 'En el mismo tiempo.',
  priceOf: (title) => `Precio de ${title}`,
  stillPaid: (bought, payable, f) =>
    bought === 0
      ? 'Nadie lo compró en este tiempo.'
      : `Se compró ${f.plural(bought, { one: 'una vez', other: `${f.number(bought)} veces` })} en este tiempo. ` +
        (payable === bought
          ? 'Los puntos alcanzaban también para el precio nuevo.'
          : payable === 0
            ? 'Los puntos no habrían alcanzado para el precio nuevo.'
            : `Los puntos alcanzaban para el precio nuevo ${f.plural(payable, { one: 'una vez', other: `${f.number(payable)} veces` })}.`),
  canPay: (now, before, f) =>
    now === before
      ? `${f.plural(now, { one: '1 cliente puede', other: `${f.number(now)} clientes pueden` })} pagarlo, como antes.`
      : `${f.plural(now, { one: '1 cliente podría', other: `${f.number(now)} clientes podrían` })} pagarlo, en vez de ${f.number(before)}.`,
  byTier: 'Por nivel',
  tier: 'Nivel',
  noTier: 'Sin nivel',
  stamps: 'Tarjetas de sellos',
  card: 'Tarjeta',
  stampsColumn: 'Sellos',
  codesColumn: 'Códigos de tarjetas llenas',
  membersColumn: 'Clientes',
  pointsColumn: 'Puntos ganados',
  impossible: {
    exchanges: (n, spent, f) =>
      `${f.plural(n, { one: '1 beneficio', other: `${f.number(n)} beneficios` })} por ${points(spent, f)} no se ${n === 1 ? 'habría' : 'habrían'} podido pagar.`,
    purchases: (n, f) =>
      `${f.plural(n, { one: '1 compra se habría', other: `${f.number(n)} compras se habrían` })} rechazado por demasiado grandes.`,
    reversals: (n, f) =>
      `${f.plural(n, { one: '1 devolución se habría', other: `${f.number(n)} devoluciones se habrían` })} rechazado.`,
    adjustments: (n, f) =>
      `${f.plural(n, { one: '1 ajuste habría', other: `${f.number(n)} ajustes habrían` })} quitado puntos que no estaban.`,
  },
  whoChanges: 'Quién cambia más',
  changedInAll: (n, f) =>
    f.plural(n, {
      one: '1 cliente tendría otro saldo u otro nivel.',
      other: `${f.number(n)} clientes tendrían otro saldo u otro nivel.`,
    }),
  balance: 'Saldo',
  earnedInRange: 'Ganados',
  nameless: 'Sin nombre',
  openMember: 'Abrir este cliente',

  atOnce: 'Al momento, cuando publiques',
  nobodyMoves: 'Nadie cambia de nivel, no se quita ningún punto y no se mueve ninguna fecha.',
  moves: (n, from, to, f) =>
    `${f.plural(n, { one: '1 cliente pasa', other: `${f.number(n)} clientes pasan` })} de ${from} a ${to}`,
  gifts: (n, f) =>
    `${f.plural(n, { one: '1 cliente recibe', other: `${f.number(n)} clientes reciben` })} el regalo del nivel nuevo`,
  redated: (n, members, f) => `${points(n, f)} de ${people(members, f)} vencen otro día`,

  publishTitle: '¿Publicar estos cambios?',
  publishText: 'Cuentan al momento para todos, en la caja y en las páginas de los clientes.',
  publishNow: 'Publicar ya',
  lookingSince: 'Mirando si ha pasado algo desde entonces…',
  since: 'Desde que miraste:',
  sinceNothing: 'No ha pasado nada desde que miraste: las cifras son las que viste.',
  sincePurchases: (n, f) => f.plural(n, { one: '1 compra más', other: `${f.number(n)} compras más` }),
  sincePoints: (before, now) => `puntos ganados ${now}, no ${before}`,
  sinceLiability: (before, now) => `puntos pendientes ${now}, no ${before}`,
  lookingFailed: 'No se pudo comprobar qué ha pasado desde que lo miraste.',
  notSeen: 'El efecto de estos cambios no se ha calculado.',
  note: 'Nota para la lista de versiones',
  noteHint: 'Por qué lo cambias. Solo la lee el personal. Puede quedar vacía.',
  unknown: 'No hubo respuesta, así que no se sabe si contó. Pulsa otra vez: cuenta una sola vez.',

  inForceNow: (version) => `La ${version.toLowerCase()} está en vigor`,
  countsNow: {
    purchases: 'La próxima compra ya gana según ella.',
    catalog: 'Los clientes ven el catálogo nuevo enseguida. Los códigos que ya tienen quedan como están.',
    mails: 'Los próximos correos ya salen según ella.',
    pages: 'Los clientes lo ven enseguida.',
    others: 'Cuenta desde ahora.',
  },
  inForceText: 'La versión anterior se conserva y puedes volver a ella.',
  toProgram: 'Al programa',
  goBack: (version) => `Volver a la ${version.toLowerCase()}`,
  whatChanged: 'Qué ha cambiado',

  meanwhileText: (now, at) =>
    `La ${now.toLowerCase()} está en vigor desde el ${at}. Tus cambios siguen aquí, y no se sobrescribe nada de la otra versión.`,
  theirs: (version) => `Cambiado en la ${version.toLowerCase()}`,
  theirsSame: (version) =>
    `Nada: tiene las mismas reglas que la ${version.toLowerCase()}, de la que partían tus cambios.`,
  mine: 'Tus cambios, aún sin publicar',
  conflicts: (n, f) =>
    f.plural(n, { one: 'Ambos cambiaron un valor', other: `Ambos cambiaron ${f.number(n)} valores` }),
  conflictsText: 'Elige cuál quieres publicar.',
  takeMine: 'El tuyo',
  takeTheirs: 'En vigor ahora',
  mergeText: 'Los dos cambios encajan. Puedes revisar el resultado antes de publicarlo.',
  decideFirst: 'Elige primero arriba.',
  merge: (version) => `Poner mis cambios sobre la ${version.toLowerCase()}`,
  merged: (version) => `Tus cambios están ahora sobre la ${version.toLowerCase()}.`,
  drop: 'Descartar mis cambios',
};
