import type { Format } from '../format.ts';
import type { en } from './texts-en.ts';

const puntosOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} punto`, other: `${f.number(n)} puntos` });
const personasOf = (n: number, f: Format) =>
  f.plural(n, { one: '1 persona', other: `${f.number(n)} personas` });

/** The same in Spanish that is at home on both sides of the Atlantic. */
export const es: typeof en = {
  orders: 'Pedidos',
  find: 'Buscar un cliente',
  findHint: 'Nombre, código o correo',
  clearText: 'Borrar',
  people: personasOf,
  peopleShown: (n, f) => `${personasOf(n, f)} a la vista, y más`,
  shownOf: (n, total, f) => `${f.number(n)} de ${f.number(total)} a la vista`,
  shownOfMany: (n, f) => `${f.number(n)} a la vista`,
  showMore: 'Mostrar más',
  exportList: 'Exportar en CSV',
  exporting: 'Exportando…',
  exported: (name) => `La lista está en tus descargas: ${name}`,
  columns: {
    name: 'Nombre',
    tier: 'Nivel',
    points: 'Puntos',
    spent: 'Gastado',
    bought: 'Última compra',
  },
  pointsWord: (n, f) => f.plural(n, { one: 'punto', other: 'puntos' }),
  order: 'Orden',
  sortBy: (order) => `Orden: ${order}`,
  sorts: {
    newest: 'Más recientes primero',
    oldest: 'Más antiguos primero',
    name: 'Por nombre',
  },
  filters: {
    tier: 'Nivel',
    anyTier: 'Cualquier nivel',
    noTier: 'Sin nivel',
    state: 'Estado',
    anyState: 'Cualquier estado',
    points: 'Puntos',
    bought: 'Última compra',
    ending: 'Puntos por vencer',
    anyEnding: 'Venzan cuando venzan',
    endingWithin: (days, f) => `Puntos que vencen en ${f.number(days)} días`,
    atLeast: 'Como mínimo',
    atMost: 'Como máximo',
    from: 'Desde',
    to: 'Hasta',
    pointsRange: (min, max, f) =>
      min === undefined
        ? max === undefined
          ? null
          : `Hasta ${puntosOf(max, f)}`
        : max === undefined
          ? `Al menos ${puntosOf(min, f)}`
          : `De ${f.number(min)} a ${puntosOf(max, f)}`,
    boughtRange: (from, to, f) =>
      from === undefined
        ? to === undefined
          ? null
          : `Compró hasta el ${f.day(to)}`
        : to === undefined
          ? `Compró desde el ${f.day(from)}`
          : `Compró del ${f.day(from)} al ${f.day(to)}`,
  },
  apply: 'Aplicar',
  clearFilter: 'Quitar',
  clearFilters: 'Quitar filtros',
  clearAll: 'Mostrar a todos',
  noMembers: 'Aún no hay nadie',
  noMembersText:
    'Cada persona aparece aquí con su primera compra: regístrala en la caja con un correo, y los puntos la esperan.',
  toTill: 'Ir a la caja',
  nobodyMatches: 'Nadie cumple estos filtros',
  nobodyMatchesText: 'Quita alguno de los filtros o muestra a todos.',
  nobodyFound: (text) => `No hay nadie con «${text}»`,
  nobodyFoundText:
    'Busca por los nueve dígitos de la tarjeta, por el comienzo del correo o por los comienzos de las palabras del nombre. Los filtros también cuentan.',
  addressText: 'Este correo puede comprar sin cuenta: los puntos esperan hasta que la persona se una.',
  recordForAddress: 'Registrar una compra',

  erasedName: 'Persona borrada',
  unknownTitle: 'Este cliente no está en esta tienda',
  unknownText: 'Puede que el enlace esté mal escrito o sea de otra tienda.',
  toList: 'Todos los clientes',
  codePicture: (code) => `El código ${code} como imagen para escanear`,
  copyEmail: 'Copiar el correo',
  copyCode: 'Copiar el código',
  copied: 'Copiado',
  notCopied: 'El navegador no permite copiar aquí.',
  about: 'Persona',
  email: 'Correo',
  phone: 'Teléfono',
  birthday: 'Cumpleaños',
  joined: 'Se unió',
  left: 'Se fue',
  invited: 'Última invitación',
  lastPurchase: 'Última compra',
  stoppedMails: 'No quiere correos sobre',
  mailKinds: {
    invitation: 'puntos que esperan',
    welcome: 'la bienvenida',
    expiring: 'puntos que vencen',
    birthday: 'el cumpleaños',
    level: 'un nuevo nivel',
    reward: 'regalos',
  },
  memberSince: (day) => `Cliente desde el ${day}`,
  strips: {
    invited: (day) =>
      `Esta persona aún no se ha unido. Los puntos esperan${day === null ? '' : `; la última invitación salió el ${day}`}.`,
    left: (day) => `Dejó el programa el ${day}. Las compras no suman hasta que vuelva a unirse.`,
    blocked: (day, reason) =>
      reason === null ? `Con bloqueo desde el ${day}.` : `Con bloqueo desde el ${day}: ${reason}`,
    erased: 'Los datos de esta persona se borraron. Los libros quedan: compras y puntos sin nombre.',
    bounce: (day) => `El buzón de esta persona no existía el ${day}. Solo recibe códigos para entrar.`,
    complaint: (day) => `Esta persona marcó un correo como spam el ${day}. Solo recibe códigos para entrar.`,
    negative:
      'Bajo cero, porque se devolvió una compra cuyos puntos ya se habían gastado. Los próximos puntos lo compensan.',
  },
  balance: 'Saldo',
  waitsForShop: (n, f) =>
    `${f.number(n)} más ${f.plural(n, { one: 'espera', other: 'esperan' })} a que se confirme la compra`,
  waitsUntil: (n, day, f) =>
    `${f.number(n)} más ${f.plural(n, { one: 'espera', other: 'esperan' })}; desde el ${day} se pueden usar los primeros`,
  endsFirst: (n, day, f) => `${f.number(n)} ${f.plural(n, { one: 'vence', other: 'vencen' })} el ${day}`,
  endsNever: 'En este programa los puntos no vencen.',
  endsNothing: 'No hay puntos que venzan.',
  endsTable: 'Qué vence y cuándo',
  endsDay: 'Mes',
  endsLater: 'Más adelante',
  tier: 'Nivel',
  noTierYet: 'Aún sin nivel',
  highestTier: 'El nivel más alto',
  pinnedText: 'Fijado por el personal: ni las compras ni el tiempo lo cambian.',
  tierExpired: 'Su período terminó: vuelve a contar con la próxima compra.',
  tierUntil: (day) => `se decide de nuevo el ${day}`,
  reachedOn: (day) => `Alcanzado el ${day}`,
  reachedBy: 'con esta compra',
  multiplier: (factor) => `Puntos × ${factor}`,
  progress: (done, threshold, name) => `${done} de ${threshold} para ${name}`,
  inAll: 'En total',
  spent: 'Gastado',
  purchases: 'Compras',
  earned: 'Puntos ganados',
  traded: 'Puntos canjeados',

  codes: 'Códigos',
  codesReady: (n, f) => f.plural(n, { one: '1 listo para usar', other: `${f.number(n)} listos para usar` }),
  noCodesText: 'Aquí aparecen los códigos que el cliente compra con puntos o recibe.',
  codeUntil: (day) => `hasta el ${day}`,
  codeEnded: (state, day) => `${state} el ${day}`,
  codeGiven: 'Regalo del programa',
  codeCost: (points) => `Costó ${points}`,
  olderCodes: (n, f) =>
    f.plural(n, { one: 'Mostrar un código terminado', other: `Mostrar ${f.number(n)} códigos terminados` }),

  history: 'Historial',
  kinds: {
    purchase: 'Compra',
    correction: 'Compra cambiada',
    return: 'Devolución',
    exchange: 'Código comprado',
    give_back: 'Código devuelto',
    usage: 'Código usado',
    undo: 'Uso deshecho',
    reward: 'Regalo',
    adjustment: 'Ajuste',
    expiry: 'Puntos vencidos',
    available: 'Puntos que ya se pueden usar',
  },
  kindsShort: {
    exchange: 'comprado',
    give_back: 'devuelto',
    usage: 'usado',
    undo: 'vuelve a valer',
    reward: 'regalo',
  },
  balanceAfter: (balance) => `Saldo ${balance}`,
  recordPurchase: 'Registrar una compra',
  kindFilter: 'Tipo',
  allKinds: 'Todo',
  kindsOf: {
    purchase: 'Compras',
    correction: 'Cambios de compras',
    return: 'Devoluciones',
    exchange: 'Códigos comprados',
    usage: 'Códigos usados',
    undo: 'Usos deshechos',
    give_back: 'Códigos devueltos',
    reward: 'Regalos',
    adjustment: 'Ajustes',
    expiry: 'Vencidos',
  },
  columnsOfHistory: { when: 'Cuándo', what: 'Qué', amount: 'Importe', points: 'Puntos', balance: 'Saldo' },
  emptyHistory: 'Aún no ha pasado nada',
  emptyHistoryText: 'Aquí aparece la primera compra, regalo o código.',
  emptyKind: 'Aún no hay nada de este tipo',
  register: (id) => `caja ${id}`,
  branch: (id) => `sucursal ${id}`,
  unknownBranch: (id) => `sucursal desconocida ${id}`,
  doublePoints: 'puntos dobles',
  howItCame: 'Cómo se llegó a esto',
  andThen: 'luego',
  noFactors: 'No se guardó cómo se calculó.',
  version: (n) => `Versión ${n} del programa`,
  movement: (id) => `Movimiento ${id}`,
  externalId: (id) => `Tu id ${id}`,
  returned: (amount, of) => `${amount} de ${of} devueltos`,
  allReturned: 'Todo devuelto',
  toPurchase: 'Mostrar la compra',
  copyLink: 'Copiar un enlace',
  linkCopied: 'El enlace a esta línea está copiado.',
  lookingFor: 'Buscando esa línea…',
  notFoundLine: 'Esa línea no está en este historial.',
  by: (cause) => {
    if (cause.kind === 'staff') return `Por ${cause.name || cause.email || 'el personal'}`;
    if (cause.kind === 'key')
      return cause.name === null ? 'Por otro sistema de la tienda' : `Por la clave «${cause.name}»`;
    return {
      member: 'Por el cliente',
      command_line: 'En la línea de comandos',
      program: 'Por las reglas del programa',
    }[cause.kind];
  },

  changes: 'Cambios del personal',
  noChanges: 'Nadie de la tienda ha cambiado nada aquí.',
  fromNetwork: (network) => `desde ${network}`,
  yes: 'sí',
  no: 'no',
  actions: {
    'points.adjust': 'Ajustó los puntos',
    'member.vouch': 'Entró a través de la tienda',
    'member.block': 'Bloqueó',
    'member.unblock': 'Desbloqueó',
    'member.data': 'Exportó los datos',
    'member.edit': 'Editó el perfil',
    'member.erase': 'Borró a la persona',
    'member.invite': 'Reenvió la invitación',
    'member.mail': 'Volvió a permitir los correos',
    'tier.pin': 'Fijó el nivel',
    'tier.unpin': 'Dejó de fijar el nivel',
    'voucher.give_back': 'Devolvió un código',
    'voucher.redeem': 'Aceptó un código',
    'voucher.undo_use': 'Deshizo el uso de un código',
    'purchase.record': 'Registró una compra',
    'purchase.reverse': 'Devolvió una compra',
  },
  reasonSaid: (reason) => `«${reason}»`,

  acts: {
    adjust: 'Ajustar puntos',
    more: 'Más acciones',
    menu: {
      adjust: 'Ajustar puntos',
      edit: 'Editar el perfil',
      pin: 'Fijar un nivel',
      unpin: 'Dejar de fijar el nivel',
      invite: 'Reenviar la invitación',
      lift: 'Volver a enviar correos',
      data: 'Exportar los datos de esta persona',
      block: 'Bloquear',
      unblock: 'Desbloquear',
      erase: 'Borrar a esta persona',
    },
    undo: 'Deshacer',
    save: 'Guardar',
    reason: 'Motivo',
    reasonOptional: 'Motivo (opcional)',
    reasonShown: 'El cliente lo lee. Una línea, hasta 200 caracteres.',
    reasonForStaff: 'Solo para el personal: se guarda con tu nombre. Una línea, hasta 200 caracteres.',
    reasonNeeded: 'Di por qué, en pocas palabras.',
    unknown:
      'No hubo respuesta, así que no se sabe si se hizo. Lo que escribiste sigue aquí. Mira la página detrás de este diálogo y vuelve a intentarlo.',
    unknownKeyed:
      'No hubo respuesta, así que todavía no se sabe si contó. Hasta que se sepa, no se puede cambiar nada.',
    again: 'Vuelve a intentarlo: cuenta una sola vez',

    adjustTitle: (name) => `Ajustar los puntos de ${name}`,
    direction: 'Dar o quitar',
    directions: { give: 'Dar', take: 'Quitar' },
    give: (points) => `Dar ${points}`,
    take: (points) => `Quitar ${points}`,
    pointsNeeded: 'Escribe cuántos puntos.',
    tooMany: (points) => `Solo se pueden quitar ${points}. Un ajuste no deja deuda.`,
    tooManyNow: 'Entretanto hay menos puntos. El saldo de arriba es el nuevo.',
    endsBy: (mode, months, f) =>
      mode === 'none'
        ? 'En este programa los puntos no vencen.'
        : mode === 'rolling'
          ? `Según el programa vencen a los ${f.plural(months, { one: '1 mes', other: `${f.number(months)} meses` })}.`
          : 'Según el programa vencen junto con el resto del saldo.',
    dayByHand: 'Fijar a mano su último día',
    lastDay: 'Último día',
    dayNeeded: 'Elige el último día o deja que decida el programa.',
    takesFirst: 'Primero se quitan los puntos que vencen antes.',
    freshCode: (points) => `Más de ${points} puntos piden un código nuevo de tu correo.`,
    adjusted: (change, balance, f, n) =>
      `${change} ${f.plural(Math.abs(n), { one: 'punto', other: 'puntos' })}. El saldo es ${balance}.`,

    blockTitle: (name) => `Bloquear a ${name}`,
    block: 'Bloquear',
    blockEffects: [
      'Las compras no suman, y no se puede comprar nada con puntos.',
      'Los puntos y los códigos quedan. Los códigos se pueden usar.',
      'El nivel no se mueve.',
      'Se puede deshacer en cualquier momento.',
    ],
    blocked: (name) => `${name} tiene un bloqueo.`,
    unblockTitle: (name) => `Desbloquear a ${name}`,
    unblock: 'Desbloquear',
    unblockText: 'Desde ahora las compras vuelven a sumar. El nivel se decide por las reglas de hoy.',
    unblocked: (name) => `${name} ya no tiene bloqueo.`,

    pinTitle: (name) => `Fijar un nivel para ${name}`,
    pinText:
      'Un nivel fijado queda hasta que alguien deje de fijarlo. Debajo siguen las reglas, y se ven de nuevo entonces.',
    pinGives:
      'Los beneficios de los niveles del camino se entregan ahora, una vez. Quedan aunque el nivel deje de estar fijado.',
    pinTo: (tier) => `Fijar en ${tier}`,
    pinned: (name, tier) => `${name} queda en ${tier}.`,
    unpinTitle: (name) => `Dejar de fijar el nivel de ${name}`,
    unpin: 'Dejar de fijar',
    unpinText:
      'El cliente tiene entonces el nivel que dan las reglas: las compras desde entonces contaron debajo.',
    unpinned: (tier) => `El nivel vuelve a moverse. Ahora es: ${tier}.`,

    editTitle: 'Editar el perfil',
    name: 'Nombre',
    phoneHint: 'Con el país, por ejemplo +54 9 11 2345 6789.',
    phoneWrong: 'Empieza con + y el país; en total, de 7 a 15 dígitos.',
    birthdayHint: 'Un cambio puede decidir cuándo llega el próximo regalo de cumpleaños.',
    emailStays: 'El correo es la cuenta: solo la persona puede demostrar otro.',
    edited: 'El perfil está guardado.',
    editUndone: 'El perfil está como antes.',
    nothingChanged: 'No se cambió nada.',

    inviteTitle: 'Reenviar la invitación',
    inviteText: (email) =>
      `${email} recibe la invitación otra vez, como mucho una vez al día. Durante 30 días no sale ninguna automática.`,
    invite: 'Enviar la invitación',
    inviteSent: (email) => `La invitación va de camino a ${email}.`,

    liftTitle: 'Volver a enviar correos',
    liftText: (email) =>
      `${email} vuelve a recibir correos, de todas las tiendas de este servicio. Si el buzón sigue sin existir, el próximo los detiene otra vez.`,
    lift: 'Volver a enviar',
    lifted: (email) => `${email} vuelve a recibir correos.`,

    dataSaved: (name) => `Todo lo guardado sobre esta persona está en tus descargas: ${name}`,

    eraseTitle: (name) => `Borrar a ${name}`,
    erase: 'Borrar para siempre',
    goes: 'Qué se borra',
    goesPoints: (points) => `El saldo: ${points}`,
    goesMore: [
      'Nombre, correo, teléfono y cumpleaños',
      'Los códigos sin usar',
      'Sesiones, tarjetas en billeteras, textos que escribió el personal',
    ],
    stays: 'Qué queda',
    staysMore: [
      'Compras y puntos en los libros, sin nombre',
      'Que se borró a alguien, quién lo hizo y por qué',
    ],
    eraseFinal: 'No se puede deshacer. Quien vuelva a unirse con ese correo empieza de cero.',
    confirm: (code) => `Escribe ${code} para confirmar`,
    confirmWrong: (code) => `No es eso. Escribe ${code}.`,
    eraseReason: 'Queda en los libros: no pongas el nombre, el correo ni el teléfono.',
    reasonNames:
      'El motivo nombra a la persona. Se guarda después de borrarla: quita el nombre, el correo y el teléfono.',
    erased: 'Los datos de la persona están borrados. Los libros quedan.',

    returnAll: 'Devolver todo',
    returnPart: 'Devolver una parte',
    returnTitle: (amount) => `Devolver ${amount}`,
    returnPartTitle: 'Devolver una parte de una compra',
    returnIt: 'Devolver',
    returnAmount: (amount) => `Devolver ${amount}`,
    returnOf: (amount, at) => `La compra de ${amount} del ${at}.`,
    returnedBefore: (amount) => `Antes ya se devolvieron ${amount}.`,
    amountOf: (left) => `Importe que se devuelve, como mucho ${left}`,
    amountWrong: (left) => `Escribe un importe mayor que cero, como mucho ${left}.`,
    returnTakes: (points) => `Retira ${points}.`,
    returnTakesNothing: (counted) => `Aún no retira nada: lo que se conserva sigue contando como ${counted}.`,
    returnKeeps: (kept, counted) =>
      kept === counted
        ? `Lo que se conserva, ${kept}, suma por las reglas de aquel día.`
        : `Lo que se conserva, ${kept}, cuenta como ${counted} y suma por las reglas de aquel día.`,
    returnLoses: (tiers) => `Con ella se pierde ${tiers}: solo esta compra lo alcanzó.`,
    returnFinal: 'Una devolución no se puede deshacer. Para corregirla, registra la compra otra vez.',
    computing: 'Calculando…',
    returnedNow: (amount, points, balance) =>
      balance === null
        ? `Devueltos ${amount}; se retiran ${points}.`
        : `Devueltos ${amount}; se retiran ${points}. El saldo es ${balance}.`,

    giveBack: 'Devolver',
    giveBackTitle: (title) => `Devolver «${title}»`,
    giveBackText: (code, points) =>
      `El código ${code} ya no se podrá usar, y el cliente recupera ${points}. No se puede deshacer.`,
    giveBackPoints: (points) => `Devolver ${points}`,
    gaveBack: (points, balance) => `${points} devueltos. El saldo es ${balance}.`,
  },
};
