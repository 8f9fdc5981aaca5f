import type { Format } from '../format.ts';
import type { Texts } from './en.ts';

const points = (n: number, f: Format) =>
  f.plural(n, {
    one: `${f.number(n)} punto`,
    many: `${f.number(n)} de puntos`,
    other: `${f.number(n)} puntos`,
  });
const missing = (n: number, f: Format) =>
  f.plural(n, { one: 'Te falta', other: 'Te faltan' }) + ` ${points(n, f)}`;
const seconds = (n: number, f: Format) => f.plural(n, { one: '1 segundo', other: `${f.number(n)} segundos` });

const capital = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Weekdays and dates take an article: «hasta el domingo», but «hasta hoy». */
const withArticle = (day: string) => (/^(hoy|mañana|ayer)$/.test(day) ? day : `el ${day}`);

/** The portal's texts in Spanish, in words used in both Spain and Latin America. */
export const es: Texts = {
  points,
  pointsWord: (n, f) => f.plural(n, { one: 'punto', many: 'de puntos', other: 'puntos' }),
  days: (n, f) => (n === 0 ? 'hoy' : f.plural(n, { one: 'mañana', other: `en ${f.number(n)} días` })),

  yourCard: 'Tu tarjeta',
  usedEnjoy: 'Usado. ¡Que lo disfrutes!',
  codeVoid: 'La tienda ha retirado este código.',
  loading: 'Cargando…',
  retry: 'Reintentar',
  close: 'Cerrar',
  cancel: 'Cancelar',
  nav: 'Tu club',
  skip: 'Ir al contenido',
  signIn: 'Entrar',
  signOut: 'Cerrar sesión',

  home: 'Inicio',
  card: 'Tarjeta',
  benefits: 'Beneficios',
  history: 'Historial',
  profile: 'Perfil',

  visitorTitle: (shop) => `Puntos en ${shop}`,
  earnRule: (money) => `1 punto por cada ${money}`,
  doubleUntil: (day) => `puntos dobles hasta ${withArticle(day)}`,
  doubleFrom: (day) => `puntos dobles desde ${withArticle(day)}`,
  fromPoints: (title, points) => `${title} desde ${points}`,
  startWith: (gift) => `${gift} de regalo al empezar`,
  justEmail: 'Solo necesitas un correo electrónico',
  join: 'Unirme al club',
  stepEarn: 'Suma',
  stepChoose: 'Elige',
  stepChooseText: (n, title, f) =>
    f.plural(n, { one: title, other: `${f.number(n)} opciones. La más cercana: ${title}` }),
  stepChooseNone: 'Canjea tus puntos por lo que más te guste',
  stepShow: 'Muestra',
  stepShowText: 'Tu tarjeta va en el teléfono, incluso sin conexión',
  giftTitle: 'Un regalo por unirte',
  birthdayTitle: 'Un regalo en tu cumpleaños',
  visitorBenefits: 'Lo que puedes conseguir',
  ladder: 'Cuanto más vienes, más recibes',
  ladderStart: 'Desde el primer día',
  ladderPoints: (points) => `Desde ${points}`,
  ladderAmount: (amount) => `Desde ${amount} en compras`,
  ladderTimes: (times) => `Puntos × ${times}`,
  ladderOnce: 'Puntos con cada compra',
  keepPoints: 'Tus puntos no vencen',
  keepMonths: (n, f) =>
    f.plural(n, {
      one: 'Los puntos son tuyos durante un mes',
      other: `Los puntos son tuyos durante ${f.number(n)} meses`,
    }),

  signInTitle: 'Unirse o entrar',
  signInText: 'Te enviaremos un código de seis dígitos. No necesitas contraseña.',
  email: 'Correo electrónico',
  emailWrong: 'Escribe un correo electrónico válido, por ejemplo ana@example.com.',
  sendCode: 'Enviarme el código',
  codeTitle: 'Escribe tu código',
  codeText: (email) =>
    `Lo enviamos a ${email}. Es válido por 10 minutos. ¿No te llegó? Revisa la carpeta de correo no deseado.`,
  code: 'Código de seis dígitos',
  codeIncomplete: 'Escribe los seis dígitos.',
  codeWrong:
    'El código es incorrecto o ya venció. Revisa los dígitos, usa el enlace del correo o pide un código nuevo.',
  newCode: 'Enviar un código nuevo',
  newCodeIn: (wait, f) => `Podrás pedir un código nuevo en ${seconds(wait, f)}`,
  newCodeSent: 'Te enviamos un código nuevo. El anterior ya no sirve.',
  otherEmail: 'Usar otro correo',
  linkTitle: (shop) => `Entrar en ${shop}`,
  linkText: 'Pulsa el botón para entrar con la dirección a la que enviamos este enlace.',
  linkReplaces: 'Ya hay una sesión iniciada en este dispositivo. Si entras con el enlace, la reemplazas.',
  linkDeadTitle: 'Este enlace ya no sirve',
  linkDead: 'Cada enlace sirve una sola vez, durante 10 minutos, y solo vale el más reciente.',
  linkToCode: 'Pedir un código nuevo',
  linkToClub: 'Ir a tu club',
  sessionEnded: 'Tu sesión terminó. Vuelve a entrar para continuar.',

  greeting: (hour, name) => {
    const words = hour < 5 || hour >= 20 ? 'Buenas noches' : hour < 12 ? 'Buenos días' : 'Buenas tardes';
    return name === '' ? words : `${words}, ${name}`;
  },
  gained: (points, day) =>
    day === null ? `+${points} desde tu última visita` : `+${points} ${withArticle(day)}`,
  gainedNow: (points) => `+${points}`,
  haveTotal: (points) => `Ahora tienes ${points}.`,
  at: (day, time) => `${capital(day)}, ${time}`,
  climbed: (tier) => `¡Llegaste a ${tier}!`,
  youGot: (gift) => `Recibiste ${gift}. ¡Que lo disfrutes!`,
  welcomeText: 'Muestra tu tarjeta en la caja con cada compra y los puntos son tuyos.',

  balance: 'Tus puntos',
  debt: 'Una devolución restó más puntos de los que tenías. Tus próximas compras lo compensan.',
  toward: (points, title) => `${points} para ${title}`,
  showCard: 'Mostrar mi tarjeta',
  cardHint: 'Muéstrala en la caja cada vez que compres.',
  haveNow: 'Ya puedes elegir',
  allBenefits: 'Ver el catálogo',
  almost: 'Ya casi',
  ending: 'Cuándo vencen tus puntos',
  later: 'Después',
  latest: 'Lo último',
  allHistory: 'Ver todos',
  expiresNext: (points, day, when) => `Próximo vencimiento: ${points} el ${day} (${when}).`,
  neverExpire: 'Tus puntos no vencen.',
  expiryNothing: 'No tienes puntos por vencer.',

  tier: 'Tu nivel',
  tierMultiplier: (times) => `Los puntos de cada compra se multiplican por ${times}.`,
  tierUntil: (day) => `Es tuyo hasta el ${day}.`,
  tierExpired: 'Este nivel venció. Sigue comprando para volver a subir.',
  tierNextPoints: (points, name) => `Suma ${points} más para llegar a ${name}`,
  tierNextAmount: (amount, name) => `Gasta ${amount} más para llegar a ${name}`,
  tierTop: 'Llegaste al nivel más alto. ¡Gracias!',

  tierBrings: 'Trae',
  tierBrought: 'Te trajo:',

  codes: 'Listos para usar',
  codesNone: 'Todavía no tienes códigos. Canjea puntos por un beneficio y su código aparecerá aquí.',
  codesToBenefits: 'Ver los beneficios',
  showCode: 'Mostrar código',
  usedCodes: 'Códigos usados y vencidos',
  used: 'Usado',
  past: 'Vencido',
  dueBy: (day) => `Válido hasta el ${day}`,
  noDue: 'Sin fecha de vencimiento',

  off: (discount) => `${discount} de descuento`,
  freeProduct: 'Gratis',
  freeProductNamed: (name) => `Gratis: ${name}`,
  until: (day) => `Disponible hasta el ${day}`,
  missing,
  get: 'Lo quiero',
  getNamed: (title, points) => `Lo quiero: ${title}, ${points}`,
  catalogNone: 'Por ahora no hay beneficios. Vuelve pronto: conservas tus puntos.',

  gifts: 'Regalos del club',
  birthdayAsk: 'Agregar mi cumpleaños',

  buyTitle: '¿Canjear tus puntos?',
  buyText: (title, points) => `${title} cuesta ${points}.`,
  buyLeft: (points) => `Tu saldo será de ${points}.`,
  buyConfirm: (points) => `Sí, canjear ${points}`,
  buying: 'Canjeando…',
  buyOffline: 'No tienes conexión. Para canjear puntos hace falta. No gastaste ningún punto.',
  bought: 'Ya es tuyo. Muestra este código en la caja.',
  boughtNoAnswer: 'No tuvimos respuesta y no sabemos si funcionó. Vuelve a intentarlo: solo pagarás una vez.',
  refusedGone: 'Este beneficio ya no está disponible. No gastaste ningún punto.',
  refusedPoints: (n, f) => `${missing(n, f)}. No gastaste ningún punto.`,
  refusedLeft: 'Solo los miembros del club pueden canjear puntos. No gastaste ningún punto.',
  refusedOther: 'La tienda no aceptó el canje. No gastaste ningún punto. Pregunta en la caja.',
  toBenefits: 'Volver a los beneficios',

  codeAlt: (digits) => `Código QR de ${digits}`,
  codeHint: 'Muéstralo en la caja o dicta los dígitos.',
  codeOnline: 'También sirve como cupón en la tienda en línea.',
  copy: 'Copiar código',
  copied: 'Copiado',

  historyNone:
    'Todavía no hay movimientos. Da tu correo o muestra tu tarjeta en la caja cuando compres y tus puntos aparecerán aquí.',
  filter: 'Mostrar',
  filters: { all: 'Todo', purchases: 'Compras', codes: 'Códigos', gifts: 'Regalos', other: 'Otros' },
  more: 'Mostrar más',
  filterNone: 'No hay ninguno.',
  filterNoneYet: (n, f) => `Ninguno entre tus últimos ${f.number(n)} movimientos.`,
  historyOffline: 'Tu historial necesita conexión. Aparecerá en cuanto la haya.',
  noMore: 'No hay más movimientos.',
  purchase: 'Compra',
  return: 'Devolución',
  exchange: 'Canje',
  givenBack: 'Puntos devueltos',
  usage: 'Usado en la tienda',
  welcome: 'Regalo de bienvenida',
  birthday: 'Regalo de cumpleaños',
  monthly_top: 'Mejor cliente del mes',
  ended: 'Puntos vencidos',
  change: 'Ajuste de puntos',

  name: 'Nombre',
  phone: 'Teléfono',
  phoneHint: 'Incluye el código de país, por ejemplo +34 600 111 222.',
  phoneWrong: 'Empieza con + y el código de país, y después usa solo dígitos.',
  birthDate: 'Cumpleaños',
  birthDateHint: 'Día, mes y año. Solo lo ve la tienda.',
  birthDateWrong: 'Escribe una fecha de nacimiento válida.',
  birthdayGift: (gift) => `En tu cumpleaños recibes: ${gift}.`,
  nameWrong: 'Escribe un nombre de 1 a 100 caracteres.',
  save: 'Guardar',
  saved: 'Guardado.',
  profileOffline: 'Tus datos necesitan conexión. Aparecerán en cuanto la haya.',
  account: 'Cuenta',
  accountOf: (email) => `Sesión iniciada como ${email}`,
  leave: 'Dejar el club',
  leaveTitle: '¿Dejar el club?',
  leaveText:
    'Conservas tus puntos y tus códigos, pero ya no podrás sumar ni canjear puntos. Puedes volver cuando quieras.',
  leaveConfirm: 'Sí, dejarlo',
  leftTitle: 'Dejaste el club',
  leftText: (points) => `Te guardamos ${points}. Vuelve para seguir sumando y canjeando.`,
  rejoin: 'Volver al club',
  rejoinFailed: 'Por ahora no puedes volver al club. Pregunta en la tienda.',
  welcomeBack: '¡Te damos la bienvenida al club!',
  welcomeGot: (gift) => `¡Te damos la bienvenida al club! Recibes ${gift}.`,

  asOf: (day, time) => `Así estaba ${withArticle(day)} a las ${time}.`,
  noConnection: 'Sin conexión.',

  offline: 'No tienes conexión. Seguiremos en cuanto vuelva.',
  noAnswer:
    'El club no responde en este momento. Tus puntos están a salvo. Vuelve a intentarlo en un momento.',
  tooMany: (wait, f) => `Demasiados intentos. Espera ${seconds(wait, f)} y vuelve a intentarlo.`,
  closed: 'Este club está cerrado. Pregunta en la tienda.',
  broken: 'Algo falló de nuestro lado. Tus puntos están a salvo. Vuelve a intentarlo en un momento.',

  addToWallet: { apple: 'Añadir a Apple Wallet', google: 'Añadir a Google Wallet' },
};
