import type { Format } from '../format.ts';
import type { en } from './texts-en.ts';

const puntosOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} punto`, other: `${f.number(n)} puntos` });

export const es: typeof en = {
  finder: 'Cliente o código',
  finderHint: 'Tarjeta, código, correo o nombre',
  finding: 'Buscando…',
  found: (n, f) =>
    f.plural(n, { one: '1 resultado', other: `${f.number(n)} resultados. Elige con las flechas.` }),
  chooseOne: 'Elige con las flechas y pulsa Intro.',
  customer: 'Cliente',
  nextCustomer: 'Siguiente cliente',
  newEmail: (email) => `${email} es nuevo aquí`,
  newEmailHint: 'Puede comprar: los puntos esperan.',
  nothing: {
    member: (code) =>
      `Ningún cliente de esta tienda tiene el código ${code}. Revisa las cifras o pide el correo.`,
    voucher: (code) => `Esta tienda no ha dado el código ${code}. Puede ser de otra tienda.`,
    email: 'Todavía no es una dirección completa, por ejemplo nombre@tienda.com.',
    name: (text) => `Ningún nombre empieza por «${text}». Prueba con el código o el correo.`,
    digits: 'El código de un cliente tiene 9 cifras; el de un beneficio, 14.',
  },

  camera: 'Escanear con la cámara',

  tier: (name, multiplier) => (multiplier === null ? name : `${name} · gana ${multiplier} ×`),
  noTier: 'Aún sin nivel',
  toNext: (missing, name) => `${missing} para ${name}`,
  points: puntosOf,
  balanceWord: (n, f) => f.plural(n, { one: 'punto', other: 'puntos' }),
  ends: (n, day, days, f) =>
    days === 0
      ? `${puntosOf(n, f)} ${f.plural(n, { one: 'vence', other: 'vencen' })} hoy`
      : `${puntosOf(n, f)} ${f.plural(n, { one: 'vence', other: 'vencen' })} el ${day}`,
  negative:
    'Bajo cero, porque se anuló una compra cuyos puntos ya se habían gastado. Los próximos puntos lo compensan.',
  invited: 'Aún no se ha unido. Los puntos esperan, y cuentan cuando inicie sesión por primera vez.',
  strangerTitle: 'Nuevo aquí',
  stranger: 'Puede comprar: los puntos esperan a esta dirección. Le llega una invitación por correo.',
  leftTitle: 'Dejó el programa',
  left: 'Sus compras no dan puntos hasta que vuelva a unirse, en la app o en la página de la tienda. Cobra como siempre.',
  blockedTitle: 'Bloqueado',
  blocked:
    'La tienda ha bloqueado a este cliente: sus compras no dan puntos. Puedes decir: «Hoy no puedo sumar puntos en esta tarjeta. La persona encargada te puede explicar más». Cobra como siempre.',
  erasedTitle: 'Borrado',
  erased: 'Los datos de esta persona se borraron. No hay nada que registrar.',
  stillUsable: 'Los códigos de la lista de abajo todavía se pueden usar.',
  memberFailed: 'No se pudo leer el cliente.',

  purchase: 'Compra',
  record: 'Registrar la compra',
  recordAgain: 'Registrarla otra vez',
  recording: 'Registrando…',
  tryAgain: 'Pulsa otra vez: cuenta una sola vez',
  earns: (n, f) => `gana ${puntosOf(n, f)}`,
  earnsWaiting: (n, f) =>
    f.plural(n, {
      one: `${f.number(n)} punto quedará en espera`,
      other: `${f.number(n)} puntos quedarán en espera`,
    }),
  earnsNothing: 'no gana puntos',
  doublePoints: 'puntos dobles',
  doubleNow: 'Ahora, puntos dobles',
  previewing: 'Calculando los puntos…',
  previewFailed: 'Ahora no se pueden calcular los puntos. La compra se puede registrar igualmente.',
  noAmount: {
    empty: () => 'Escribe el importe.',
    unclear: (amount) => `${amount} se puede leer de más de una manera. Escríbelo de nuevo.`,
    fraction: (amount, _one, currency) =>
      `${amount} tiene más decimales de los que tiene ${currency}. No escribas signos entre los miles.`,
    zero: () => 'El importe debe ser mayor que cero.',
    less: (_amount, one) => `Menos de ${one} no cuenta. Cobra como siempre.`,
    huge: (_amount, _one, _currency, most) =>
      `La tienda acepta como máximo ${most} por compra. Revisa el importe.`,
  },
  countsAs: (amount) => `cuenta como ${amount}`,
  unusual: (amount) => `${amount} es mucho más de lo habitual en esta tienda. ¿Es correcto?`,
  cardOrMoney: (code) => `Nadie aquí tiene la tarjeta ${code}. ¿Es el importe?`,
  recordMoney: (amount) => `Sí, registrar ${amount}`,
  changeAmount: 'Cambiar el importe',
  pad: 'Números',
  backspace: 'Borrar la última cifra',
  zero: 'El importe debe ser mayor que cero.',
  tooLarge: 'La tienda no acepta un importe tan grande. Revísalo.',
  paused: 'El programa está en pausa: ahora las compras no dan puntos. Cobra como siempre.',
  twice: (seconds) =>
    `Este mismo importe se registró aquí para este cliente hace ${seconds < 2 ? 'un momento' : `${seconds} segundos`}. Si es otra compra, regístrala otra vez.`,
  offlineUnsent:
    'Sin conexión. No se ha registrado nada. Se enviará una sola vez, en cuanto vuelva la conexión.',
  unknown: 'No hubo respuesta. Aún no sabemos si contó. Pulsa otra vez: cuenta una sola vez.',
  asideTitle: 'Aún no se sabe',
  aside: (amount, name) => `${amount} · ${name}`,
  asideHint: 'Aún no sabemos si contó. Se reintenta solo, y cuenta una sola vez.',
  asideRefused: (amount, name, why) => `${amount} de ${name} no se registró. ${why}`,
  retry: 'Reintentar',
  notEligible: 'Este cliente dejó el programa o está bloqueado.',
  gone: 'Este cliente ya no está aquí. Búscalo otra vez.',
  leftBehind: (amount, name) => `${amount} de ${name} no se registró.`,
  goBack: 'Volver a ello',

  recordedTitle: (n, f) => (n === 0 ? 'Registrada, sin puntos' : `+${puntosOf(n, f)}`),
  recordedFor: (amount, name) => `${amount} · ${name}`,
  newBalance: (n, f) => `ahora ${puntosOf(n, f)}`,
  justDone: 'Recién hecho',
  nextHint: 'Todo listo para el siguiente cliente.',
  recordedLater: (n, f) => `${puntosOf(n, f)} para usar más tarde`,
  recordedWaits: 'Los puntos esperan hasta que esta persona se una.',
  reached: (level, multiplier) =>
    multiplier === null ? `Ahora es ${level}` : `Ahora es ${level}: desde hoy gana ${multiplier} ×`,
  recordedBefore: 'Ya estaba registrada, y contó una sola vez.',
  undo: 'Anular',
  undoing: 'Anulando…',
  undone: (amount, n, f) => `${amount} anulado: ${puntosOf(n, f)} menos.`,
  undoneBalance: (name, n, f) => `${name} tiene ahora ${puntosOf(n, f)}.`,
  undoneBefore: 'Ya estaba anulado.',
  undoUnknown: 'No hubo respuesta. Aún no sabemos si se anuló. Pulsa Anular otra vez: ocurre una sola vez.',
  undoRefused: 'Aquí no se puede anular. Pregunta a la persona encargada.',
  undoSpent: 'No se puede anular: sus puntos ya se gastaron. Pregunta a la persona encargada.',

  ready: 'Listo para usar',
  more: 'Este cliente tiene más códigos de los que caben aquí. Escanea el código para usar otro.',
  use: 'Usar',
  useTitle: (title) => `¿Usar «${title}»?`,
  useText: 'Después el código ya no vale. No se puede deshacer.',
  useNow: 'Usarlo ahora',
  using: 'Usando…',
  useUnknown: 'No hubo respuesta. Aún no sabemos si se usó. Pulsa otra vez: se usa una sola vez.',
  usedTitle: (title) => `Usado: ${title}`,
  usedText: 'Ya se lo puedes dar.',
  until: (day) => `hasta el ${day}`,
  lastDay: 'hoy es el último día',
  noEnd: 'no vence',
  kinds: {
    percentage_discount: (value) => `${value} % de descuento`,
    absolute_discount: (value) => `${value} de descuento`,
    free_product: () => 'Producto gratis',
  },
  heldBy: (name) => `Es de ${name}`,
  openHolder: (name) => `Compra de ${name}`,
  voucherUsed: (when) => `Se usó el ${when}. No se debe dar otra vez.`,
  voucherUsedEver: 'Ya se usó. No se debe dar otra vez.',
  voucherExpired: (when) => `Se podía usar hasta el ${when}.`,
  voucherGivenBack: (when) => `Se devolvió el ${when}. El cliente recuperó los puntos.`,
  voucherVoid: 'Se anuló la compra con la que se ganó, así que ya no vale.',
  voucherGone: 'El código ya no se puede usar.',

  today: (register) => (register === null ? 'Hoy en esta caja' : `Hoy en la caja ${register}`),
  changeRegister: 'Cambiar',
  dayEmptyTitle: 'Hoy todavía nada',
  dayEmpty: 'Lo que registres aquí aparece en esta lista, donde se puede anular un error.',
  dayFailed: 'No se pudo leer la lista. Registrar funciona igualmente.',
  dayMore: 'Ver más',
  dayUsed: 'Usado',
  dayReturn: 'Devolución',
  dayReturned: 'Anulada',
  dayPartly: (amount) => `${amount} anulado`,
  totals: (purchases, amount, points, used, f) =>
    [
      f.plural(purchases, { one: '1 compra', other: `${f.number(purchases)} compras` }),
      amount,
      puntosOf(points, f),
      used === 0
        ? null
        : f.plural(used, { one: '1 código usado', other: `${f.number(used)} códigos usados` }),
    ]
      .filter(Boolean)
      .join(' · '),
};
