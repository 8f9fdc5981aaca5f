import type { StaffRole } from '#http/staff-roles.ts';
import type { Line } from '../letter.ts';
import {
  writeCount,
  writeDay,
  writeLinkWithToken,
  writeMonth,
  writeMultiplier,
  type Feet,
  type Letters,
  type Pages,
} from './letters.ts';

/** The letters in Spanish. */
export const spanish: Letters = {
  'sign-in-code': (name, { code, token, purpose }, pages) => ({
    subject: `${code} es tu código para ${name}`,
    lines:
      purpose !== 'member'
        ? writeStaffCode[purpose](name, code, token, pages)
        : [
            `Tu código para iniciar sesión en ${name}:`,
            { code },
            'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie: la tienda nunca te lo pedirá.',
            ...writeLinkWithToken(token, 'O entra sin escribir el código:', {
              link: pages.club,
              label: 'Entrar',
            }),
            'Si no pediste este código, puedes ignorar este correo.',
          ],
  }),
  'set-up-code': (_name, { code }) => ({
    subject: `${code} es tu código para abrir tu tienda`,
    lines: [
      'Tu código para abrir tu tienda:',
      { code },
      'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie: quien lo tenga puede quedarse con tu tienda.',
      'Si no pediste este código, puedes ignorar este correo.',
    ],
  }),
  invitation: (name, { points }, { club }) => ({
    subject: `Tus puntos en ${name} te esperan`,
    lines: [
      { heading: 'Tus puntos te esperan' },
      `Sumaste puntos con una compra en ${name}. Los guardamos para esta dirección de correo.`,
      ...(points !== null && points > 0
        ? [{ figure: writeCount(points, 'punto', 'es'), caption: `de ${name}` }]
        : []),
      'Inicia sesión con esta dirección para ver tus puntos y canjearlos por beneficios. No necesitas contraseña:',
      { link: club, label: 'Ver mis puntos' },
      'Si no fuiste tú, puedes ignorar este correo.',
    ],
  }),
  'staff-invitation': (name, { role }, pages) => ({
    subject: `Ya puedes trabajar en la consola de ${name}`,
    lines: [
      `Te dieron un puesto en la consola de ${name}: ${ROLES[role]}.`,
      'Entra con esta dirección de correo. No necesitas contraseña: cada vez recibes un código por correo.',
      { link: pages.console, label: 'Abrir la consola' },
      'Si no trabajas allí, puedes ignorar este correo.',
    ],
  }),
  'webhook-disabled': (name, { host, because }, pages) => ({
    subject: `Se desactivaron los webhooks de ${name} hacia ${host}`,
    lines: [
      because === 'gone'
        ? `El receptor en ${host} respondió que ya no existe (410), así que no se le envía nada más.`
        : `El receptor en ${host} no aceptó nada durante cinco días, así que no se le envía nada más.`,
      'Lo que ocurre en el comercio se guarda. Cuando el receptor vuelva a funcionar, activa el webhook y seguirá donde se detuvo.',
      { link: pages.console, label: 'Abrir la consola' },
    ],
  }),
  'expiry-reminder': (name, { points, expiresOn, daysLeft }, { club }) => ({
    subject: `${writeCount(points, 'punto', 'es')} en ${name} ${points === 1 ? 'vence' : 'vencen'} el ${writeDay(expiresOn, 'es')}`,
    lines: [
      { heading: 'Usa tus puntos antes de que venzan' },
      `Tienes hasta el ${writeDay(expiresOn, 'es')} para usar ${writeCount(points, 'punto', 'es')} en ${name}.`,
      { figure: writeCount(points, 'punto', 'es'), caption: writeDaysLeft(daysLeft) },
      'Canjea tus puntos por un beneficio antes de que venzan:',
      { link: club, label: 'Ver mis puntos' },
    ],
  }),
  welcome: (name, { points, benefit, balance }, { club }) => ({
    subject: `Te damos la bienvenida a ${name}`,
    lines: [
      { heading: `Te damos la bienvenida a ${name}` },
      'Desde ahora tus compras suman puntos, y los canjeas por beneficios. Muestra tu tarjeta o di tu correo en la caja.',
      ...writeGift(points, benefit, 'un regalo por sumarte'),
      ...(points === null && benefit === null && balance > 0
        ? [{ figure: writeCount(balance, 'punto', 'es'), caption: 'ya son tuyos' }]
        : []),
      'Tu tarjeta, tus puntos y todos los beneficios están en una página:',
      { link: club, label: 'Abrir mi tarjeta' },
    ],
  }),
  birthday: (name, { points, benefit }, { club }) => ({
    subject: `Feliz cumpleaños de parte de ${name}`,
    lines: [
      { heading: '¡Feliz cumpleaños!' },
      `En ${name} te deseamos un día maravilloso. Esto es para ti:`,
      ...writeGift(points, benefit, 'nuestro regalo'),
      points === null ? 'Muestra su código en la caja:' : 'Tus puntos ya están en tu cuenta:',
      { link: club, label: 'Ver mi regalo' },
    ],
  }),
  level: (name, { level, multiplierThousandths, benefit }, { club }) => ({
    subject: `Alcanzaste el nivel ${level} en ${name}`,
    lines: [
      { heading: `Alcanzaste el nivel ${level}` },
      `Gracias por volver a ${name} una y otra vez.`,
      ...(multiplierThousandths > 1000
        ? [
            {
              figure: `${writeMultiplier(multiplierThousandths, 'es')} × los puntos`,
              caption: 'en cada compra desde ahora',
            },
          ]
        : []),
      ...writeGift(null, benefit, `un regalo por alcanzar el nivel ${level}`),
      'Mira lo que te da tu nivel:',
      { link: club, label: 'Ver mi nivel' },
    ],
  }),
  reward: (name, { month, points, benefit }, { club }) => ({
    subject: `Un regalo de ${name} por ${writeMonth(month, 'es')}`,
    lines: [
      { heading: '¡Gracias!' },
      `Nadie compró más en ${name} en ${writeMonth(month, 'es')} que tú. Esto es para ti:`,
      ...writeGift(points, benefit, `por ${writeMonth(month, 'es')}`),
      points === null ? 'Muestra su código en la caja:' : 'Tus puntos ya están en tu cuenta:',
      { link: club, label: 'Ver mi regalo' },
    ],
  }),
};

export const spanishFeet: Feet = {
  invitation: (name) => `Recibes este correo porque esta dirección se dio en una compra en ${name}.`,
  other: (name) => `Recibes este correo porque participas en el programa de ${name}.`,
  choose: 'Elegir mis correos o dejar de recibirlos',
};

const ROLES: Readonly<Record<StaffRole, string>> = {
  cashier: 'caja',
  manager: 'encargo',
  owner: 'propiedad',
};

function writeDaysLeft(days: number): string {
  if (days === 0) return 'hoy es el último día';
  return `${days === 1 ? 'queda' : 'quedan'} ${writeCount(days, 'día', 'es')}`;
}

function writeGift(points: number | null, benefit: string | null, caption: string): readonly Line[] {
  if (points !== null) return [{ figure: writeCount(points, 'punto', 'es'), caption }];
  return benefit === null ? [] : [{ figure: benefit, caption }];
}

/** The letters with the codes of the shop's own people. */
const writeStaffCode: Record<
  'staff' | 'step-up',
  (name: string, code: string, token: string, pages: Pages) => readonly Line[]
> = {
  staff: (name, code, token, pages) => [
    `Tu código para la consola de ${name}, donde trabaja su equipo:`,
    { code },
    'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie: quien lo tenga puede trabajar en tu nombre.',
    ...writeLinkWithToken(token, 'O entra sin escribir el código:', { link: pages.console, label: 'Entrar' }),
    'Si no pediste este código, puedes ignorar este correo.',
  ],
  'step-up': (name, code) => [
    `Tu código para confirmar lo que vas a hacer en la consola de ${name}:`,
    { code },
    'Es válido por 10 minutos y sirve una sola vez. No lo compartas con nadie.',
    'Si no pediste este código, alguien está usando tu sesión: entra en la consola y cierra la sesión en todos los dispositivos.',
  ],
};
