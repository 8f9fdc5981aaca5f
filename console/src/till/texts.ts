import type { Format } from '../format.ts';
import { createTexts } from '../language.ts';

const pointsOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
const puntosOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} punto`, other: `${f.number(n)} puntos` });

const en = {
  finder: 'Member or code',
  finderHint: 'Card, code, e-mail or name',
  finding: 'Looking…',
  found: (n: number, f: Format) =>
    f.plural(n, { one: '1 result', other: `${f.number(n)} results. Choose with the arrow keys.` }),
  chooseOne: 'Choose with the arrow keys, then press Enter.',
  nextCustomer: 'Next customer',
  newEmail: (email: string) => `${email} is new here`,
  newEmailHint: 'Can buy: the points wait.',
  nothing: {
    member: (code: string) =>
      `No member of this shop has the code ${code}. Check the digits, or ask for the e-mail.`,
    voucher: (code: string) => `This shop has not given out the code ${code}. It may be from another shop.`,
    email: 'This is not a whole e-mail address yet, such as name@shop.com.',
    name: (text: string) => `Nobody’s name begins with “${text}”. Try the code or the e-mail.`,
    digits: 'A member’s code has 9 digits, a code to use has 14.',
  },

  camera: 'Scan with the camera',
  cameraTitle: 'Hold the code in front of the camera',
  cameraStarting: 'Starting the camera…',
  cameraRefusedTitle: 'The camera is not allowed',
  cameraRefused:
    'The browser has been told not to give this page the camera. Allow it with the icon beside the address, then try again. Or type the digits below the code.',
  cameraNoneTitle: 'There is no camera',
  cameraNone: 'This device has no camera, or another program is using it. Type the digits below the code.',
  cameraOther: 'Other camera',
  cameraForeign: 'This is a code, but not one of a member or a benefit.',
  cameraType: 'Type the digits',

  tier: (name: string, multiplier: string | null) =>
    multiplier === null ? name : `${name} · earns ${multiplier} ×`,
  noTier: 'No tier yet',
  toNext: (missing: string, name: string) => `${missing} to ${name}`,
  points: pointsOf,
  balanceWord: (n: number, f: Format) => f.plural(n, { one: 'point', other: 'points' }),
  ends: (n: number, day: string, days: number, f: Format) =>
    days === 0
      ? `${pointsOf(n, f)} ${f.plural(n, { one: 'ends', other: 'end' })} today`
      : `${pointsOf(n, f)} ${f.plural(n, { one: 'ends', other: 'end' })} on ${day}`,
  negative:
    'Below zero, because a purchase was taken back after its points were spent. The next points pay it off.',
  invited: 'Has not joined yet. Points wait, and count when this person signs in for the first time.',
  strangerTitle: 'New here',
  stranger: 'Can buy: the points wait for this address. An invitation goes out by e-mail.',
  leftTitle: 'Left the program',
  left: 'Purchases earn nothing until this person joins again, in the app or on the shop’s page. Take the payment as usual.',
  blockedTitle: 'Blocked',
  blocked:
    'The shop has blocked this member: purchases earn nothing. You can say: “I cannot add points to this card today. The manager can tell you more.” Take the payment as usual.',
  erasedTitle: 'Erased',
  erased: 'This person’s data was erased. There is nothing that can be recorded.',
  stillUsable: 'Codes that are listed below can still be used.',
  memberFailed: 'The member could not be read.',

  purchase: 'Purchase',
  record: 'Record the purchase',
  recordAgain: 'Record it a second time',
  recording: 'Recording…',
  tryAgain: 'Press again: it counts once',
  earns: (n: number, f: Format) => `earns ${pointsOf(n, f)}`,
  earnsWaiting: (n: number, f: Format) =>
    f.plural(n, { one: `${f.number(n)} point will wait`, other: `${f.number(n)} points will wait` }),
  earnsNothing: 'earns no points',
  doublePoints: 'double points',
  doubleNow: 'Double points now',
  previewing: 'Working out the points…',
  previewFailed: 'The points cannot be worked out now. The purchase can be recorded all the same.',
  typeAmount: 'Type the amount.',
  whole: (currency: string, amount: string) =>
    `Whole ${currency} only, without cents. Change ${amount} to a whole amount.`,
  zero: 'The amount must be above zero.',
  tooLarge: 'The shop does not accept so large an amount. Check it.',
  paused: 'The program is paused: purchases earn nothing now. Take the payment as usual.',
  twice: (seconds: number) =>
    `The same amount was recorded for this member here ${seconds < 2 ? 'a moment' : `${seconds} seconds`} ago. If it is another purchase, record it a second time.`,
  offlineUnsent:
    'No connection. Nothing has been recorded. It will be sent once, as soon as the connection is back.',
  unknown: 'There was no answer. We do not know yet whether it counted. Press again: it counts once.',
  asideTitle: 'Not known yet',
  aside: (amount: string, name: string) => `${amount} · ${name}`,
  asideHint: 'We do not know yet whether it counted. It is tried again by itself, and counts once.',
  asideRefused: (amount: string, name: string, why: string) =>
    `${amount} for ${name} was not recorded. ${why}`,
  retry: 'Try again',
  notEligible: 'This member has left the program or is blocked.',
  gone: 'This member is not here any more. Find the member again.',
  leftBehind: (amount: string, name: string) => `${amount} for ${name} was not recorded.`,
  goBack: 'Go back to it',

  recordedTitle: (n: number, f: Format) => (n === 0 ? 'Recorded, without points' : `+${pointsOf(n, f)}`),
  recordedFor: (amount: string, name: string) => `${amount} · ${name}`,
  newBalance: (n: number, f: Format) => `now ${pointsOf(n, f)}`,
  recordedWaits: 'The points wait until this person joins.',
  reached: (level: string, multiplier: string | null) =>
    multiplier === null ? `Now ${level}` : `Now ${level}: from now on earns ${multiplier} ×`,
  recordedBefore: 'It had been recorded already, and counted once.',
  undo: 'Undo',
  undoing: 'Taking it back…',
  undone: (amount: string, n: number, f: Format) => `${amount} taken back: ${pointsOf(n, f)} gone.`,
  undoneBalance: (name: string, n: number, f: Format) => `${name} has ${pointsOf(n, f)} now.`,
  undoneBefore: 'It had been taken back already.',
  undoUnknown:
    'There was no answer. We do not know yet whether it was taken back. Press Undo again: it happens once.',
  undoRefused: 'It cannot be taken back here. Ask a manager.',
  undoSpent: 'It cannot be taken back: its points have been spent. Ask a manager.',

  ready: 'Ready to use',
  more: 'This member has more codes than are listed here. Scan the code to use one of the others.',
  use: 'Use',
  useTitle: (title: string) => `Use “${title}”?`,
  useText: 'The code is gone afterwards. This cannot be undone.',
  useNow: 'Use it now',
  using: 'Using…',
  useUnknown: 'There was no answer. We do not know yet whether it was used. Press again: it is used once.',
  usedTitle: (title: string) => `Used: ${title}`,
  usedText: 'The customer may have it now.',
  until: (day: string) => `until ${day}`,
  lastDay: 'last day today',
  noEnd: 'does not end',
  kinds: {
    percentage_discount: (value: string) => `${value}% off`,
    absolute_discount: (value: string) => `${value} off`,
    free_product: () => 'Free',
  },
  heldBy: (name: string) => `Held by ${name}`,
  openHolder: (name: string) => `Purchase for ${name}`,
  voucherUsed: (when: string) => `It was used on ${when}. It must not be given again.`,
  voucherUsedEver: 'It has been used. It must not be given again.',
  voucherExpired: (when: string) => `It could be used until ${when}.`,
  voucherGivenBack: (when: string) => `It was given back on ${when}. The member has the points back.`,
  voucherVoid: 'The purchase that earned it was taken back, so it is not good any more.',
  voucherGone: 'The code cannot be used any more.',

  today: (register: string | null) =>
    register === null ? 'Today at this till' : `Today at register ${register}`,
  changeRegister: 'Change',
  registerAsk: 'Which register is this?',
  registerAskText: 'The list then shows only what this register did. The number is kept on this device.',
  registerTitle: 'This device',
  registerLabel: 'Register number',
  registerHint: 'Leave it empty if the shop has one till only.',
  branchLabel: 'Branch number',
  branchHint: 'Leave it empty if the shop has one branch only.',
  registerWrong: 'A number has up to 15 digits.',
  save: 'Save',
  onlyOne: 'We have only one',
  dayEmptyTitle: 'Nothing yet today',
  dayEmpty: 'What you record here appears in this list, where a mistake can be undone.',
  dayFailed: 'The list could not be read. Recording works all the same.',
  dayMore: 'Show more',
  dayUsed: 'Used',
  dayReturn: 'Return',
  dayReturned: 'Taken back',
  dayPartly: (amount: string) => `${amount} taken back`,
  totals: (purchases: number, amount: string, points: number, used: number, f: Format) =>
    [
      f.plural(purchases, { one: '1 purchase', other: `${f.number(purchases)} purchases` }),
      amount,
      pointsOf(points, f),
      used === 0 ? null : f.plural(used, { one: '1 code used', other: `${f.number(used)} codes used` }),
    ]
      .filter(Boolean)
      .join(' · '),
};

const es: typeof en = {
  finder: 'Cliente o código',
  finderHint: 'Tarjeta, código, correo o nombre',
  finding: 'Buscando…',
  found: (n, f) =>
    f.plural(n, { one: '1 resultado', other: `${f.number(n)} resultados. Elige con las flechas.` }),
  chooseOne: 'Elige con las flechas y pulsa Intro.',
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
  cameraTitle: 'Pon el código delante de la cámara',
  cameraStarting: 'Encendiendo la cámara…',
  cameraRefusedTitle: 'La cámara no está permitida',
  cameraRefused:
    'El navegador tiene orden de no dar la cámara a esta página. Permítela con el icono junto a la dirección y vuelve a intentarlo. O escribe las cifras que hay debajo del código.',
  cameraNoneTitle: 'No hay cámara',
  cameraNone:
    'Este dispositivo no tiene cámara, o la usa otro programa. Escribe las cifras que hay debajo del código.',
  cameraOther: 'Otra cámara',
  cameraForeign: 'Es un código, pero no de un cliente ni de un beneficio.',
  cameraType: 'Escribir las cifras',

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
  typeAmount: 'Escribe el importe.',
  whole: (currency, amount) =>
    `Solo ${currency} enteros, sin céntimos. Cambia ${amount} por un importe entero.`,
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
    free_product: () => 'Gratis',
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
  registerAsk: '¿Qué caja es esta?',
  registerAskText:
    'La lista muestra entonces solo lo que hizo esta caja. El número se guarda en este dispositivo.',
  registerTitle: 'Este dispositivo',
  registerLabel: 'Número de caja',
  registerHint: 'Déjalo vacío si la tienda tiene una sola caja.',
  branchLabel: 'Número de sucursal',
  branchHint: 'Déjalo vacío si la tienda tiene una sola sucursal.',
  registerWrong: 'Un número tiene como mucho 15 cifras.',
  save: 'Guardar',
  onlyOne: 'Solo tenemos una',
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

export const useTillTexts = createTexts({ en, es });
