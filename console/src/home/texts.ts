import type { Format } from '../format.ts';
import { createTexts } from '../language.ts';

const pointsOf = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} point`, other: `${f.number(n)} points` });
const puntosDe = (n: number, f: Format) =>
  f.plural(n, { one: `${f.number(n)} punto`, other: `${f.number(n)} puntos` });

const en = {
  home: 'Home',
  record: 'Record a purchase',
  find: 'Find a member',
  reports: 'All reports',

  today: 'Today so far',
  fromPurchases: (n: number, f: Format) => f.plural(n, { one: 'purchase', other: 'purchases' }),
  from: 'from',
  noneToday: 'No purchases yet today.',
  weekAgo: (weekday: string, amount: string, purchases: string) =>
    `Last ${weekday}: ${amount} from ${purchases}, all day`,
  purchasesCount: (n: number, f: Format) =>
    f.plural(n, { one: '1 purchase', other: `${f.number(n)} purchases` }),
  doublePoints: (until: string) => `Double points until ${until}`,
  doublePointsThrough: (last: string) => `Double points through ${last}`,
  amount: 'Amount',
  purchases: 'Purchases',
  earned: 'Points earned',
  spent: 'Points spent',
  used: 'Codes used',
  joined: 'New members',
  chartTitle: 'Purchases of members, day by day',
  chartAbout: 'The arrow keys move from day to day, Enter opens the purchases of the day.',
  soFar: 'so far',
  thirtyDays: 'Last 30 days',
  comparedWith30: 'compared with the 30 days before',
  outstanding: 'Points that can be spent',
  heldBy: (n: number, f: Format) =>
    f.plural(n, { one: 'held by 1 person', other: `held by ${f.number(n)} people` }),
  endSoon: 'Points that end within 30 days',
  endSoonWords: (n: number, f: Format) =>
    f.plural(n, { one: 'ends within 30 days', other: 'end within 30 days' }),

  look: 'Worth a look',
  allWell: 'Nothing needs you right now.',
  see: 'See who',
  open: 'Open',
  endingSoon: (points: number, f: Format) =>
    `${pointsOf(points, f)} ${f.plural(points, { one: 'ends', other: 'end' })} within 30 days`,
  endingSoonText: (people: number, first: string, f: Format) =>
    `${f.plural(people, { one: 'One person holds them', other: `${f.number(people)} people hold them` })}. The first end on ${first}.`,
  paused: 'The program is paused',
  pausedText: 'Purchases are refused until it is active again.',
  jobFailing: 'A scheduled task fails',
  jobFailingText: (job: string, since: string) =>
    `“${job}” has failed since ${since}. The operator’s log says why.`,
  unusual: (amount: string, when: string) => `${amount} on ${when} is far above your usual purchases`,
  unusualText: 'If it was a slip at the till, open it and take it back.',
  mailFailed: (n: number, f: Format) =>
    f.plural(n, { one: '1 mail was not sent', other: `${f.number(n)} mails were not sent` }),
  mailFailedText: 'In the last seven days. The operator’s log says why.',
  withheld: (title: string) => `${title} has ended, and a reward gives it`,
  withheldText: (times: number, f: Format) =>
    f.plural(times, {
      one: 'One person got nothing in the last 30 days.',
      other: `${f.number(times)} people got nothing in the last 30 days.`,
    }),
  soldOut: (title: string) => `${title} is sold out`,
  soldOutText: 'Members still see it, and nobody can buy it.',
  nearlySoldOut: (title: string) => `${title} is nearly sold out`,
  nearlySoldOutText: (left: number, f: Format) =>
    f.plural(left, { one: 'One is left.', other: `${f.number(left)} are left.` }),
  benefitEnds: (title: string) => `${title} ends soon`,
  benefitEndsText: (day: string) => `Nobody can buy it after ${day}.`,

  further: 'Look further',
  away: (days: number) => `Who has not bought for ${days} days`,
  awayText: 'Members whose last purchase is long ago',
  waiting: 'Whose points wait',
  waitingText: 'People who bought and have not joined',
  endings: 'When points end',
  endingsText: 'Month by month, if nobody spent anything',

  newTitle: 'Your shop is ready',
  newText: 'The figures begin with the first purchase. These are the first steps:',
  leftTitle: 'What is left to do',
  leftText: 'The first purchase is recorded. These steps come next:',
  steps: {
    till: ['Record the first purchase', 'An e-mail address is enough: the points wait for the person.'],
    program: ['Look at your program', 'What a purchase earns, and what points can buy.'],
    poster: ['Print the poster', 'Customers scan it and join at the counter.'],
    team: ['Invite your team', 'Everyone gets their own sign-in and sees what they need.'],
  } as Record<string, readonly [string, string]>,
};

const es: typeof en = {
  home: 'Inicio',
  record: 'Registrar una compra',
  find: 'Buscar un cliente',
  reports: 'Todos los informes',

  today: 'Hoy hasta ahora',
  fromPurchases: (n, f) => f.plural(n, { one: 'compra', other: 'compras' }),
  from: 'de',
  noneToday: 'Hoy aún no hay compras.',
  weekAgo: (weekday, amount, purchases) => `El ${weekday} pasado: ${amount} de ${purchases}, en todo el día`,
  purchasesCount: (n, f) => f.plural(n, { one: '1 compra', other: `${f.number(n)} compras` }),
  doublePoints: (until) => `Puntos dobles hasta el ${until}`,
  doublePointsThrough: (last) => `Puntos dobles hasta el ${last} inclusive`,
  amount: 'Importe',
  purchases: 'Compras',
  earned: 'Puntos ganados',
  spent: 'Puntos gastados',
  used: 'Códigos usados',
  joined: 'Clientes nuevos',
  chartTitle: 'Compras de clientes, día a día',
  chartAbout: 'Las flechas van de día en día y Enter abre las compras del día.',
  soFar: 'hasta ahora',
  thirtyDays: 'Últimos 30 días',
  comparedWith30: 'comparado con los 30 días anteriores',
  outstanding: 'Puntos que se pueden gastar',
  heldBy: (n, f) =>
    f.plural(n, { one: 'en manos de 1 persona', other: `en manos de ${f.number(n)} personas` }),
  endSoon: 'Puntos que vencen en 30 días',
  endSoonWords: (n, f) => f.plural(n, { one: 'vence en 30 días', other: 'vencen en 30 días' }),

  look: 'Para mirar',
  allWell: 'Ahora mismo nada te necesita.',
  see: 'Ver quién',
  open: 'Abrir',
  endingSoon: (points, f) =>
    `${puntosDe(points, f)} ${f.plural(points, { one: 'vence', other: 'vencen' })} en 30 días`,
  endingSoonText: (people, first, f) =>
    `${f.plural(people, { one: 'Los tiene una persona', other: `Los tienen ${f.number(people)} personas` })}. Los primeros vencen el ${first}.`,
  paused: 'El programa está en pausa',
  pausedText: 'Las compras se rechazan hasta que vuelva a estar activo.',
  jobFailing: 'Una tarea programada falla',
  jobFailingText: (job, since) => `“${job}” falla desde el ${since}. El registro del operador dice por qué.`,
  unusual: (amount, when) => `${amount} del ${when} supera con mucho las compras habituales`,
  unusualText: 'Si fue un error en la caja, ábrela y anúlala.',
  mailFailed: (n, f) =>
    f.plural(n, { one: '1 correo no se envió', other: `${f.number(n)} correos no se enviaron` }),
  mailFailedText: 'En los últimos siete días. El registro del operador dice por qué.',
  withheld: (title) => `${title} terminó, y un premio lo regala`,
  withheldText: (times, f) =>
    f.plural(times, {
      one: 'Una persona no recibió nada en los últimos 30 días.',
      other: `${f.number(times)} personas no recibieron nada en los últimos 30 días.`,
    }),
  soldOut: (title) => `${title} está agotado`,
  soldOutText: 'Los clientes aún lo ven, y nadie puede comprarlo.',
  nearlySoldOut: (title) => `${title} casi se agota`,
  nearlySoldOutText: (left, f) => f.plural(left, { one: 'Queda uno.', other: `Quedan ${f.number(left)}.` }),
  benefitEnds: (title) => `${title} termina pronto`,
  benefitEndsText: (day) => `Nadie podrá comprarlo después del ${day}.`,

  further: 'Seguir mirando',
  away: (days) => `Quién no compra desde hace ${days} días`,
  awayText: 'Clientes cuya última compra fue hace mucho',
  waiting: 'Quién tiene puntos en espera',
  waitingText: 'Personas que compraron y no se unieron',
  endings: 'Cuándo vencen los puntos',
  endingsText: 'Mes a mes, si nadie gastara nada',

  newTitle: 'Tu tienda está lista',
  newText: 'Las cifras empiezan con la primera compra. Estos son los primeros pasos:',
  leftTitle: 'Lo que queda por hacer',
  leftText: 'La primera compra está registrada. Estos son los siguientes pasos:',
  steps: {
    till: ['Registrar la primera compra', 'Basta una dirección de correo: los puntos esperan a la persona.'],
    program: ['Mirar tu programa', 'Lo que gana una compra y lo que se puede comprar con puntos.'],
    poster: ['Imprimir el cartel', 'Los clientes lo escanean y se unen en el mostrador.'],
    team: ['Invitar a tu equipo', 'Cada persona entra con su correo y ve lo que necesita.'],
  },
};

export const useHomeTexts = createTexts({ en, es });
