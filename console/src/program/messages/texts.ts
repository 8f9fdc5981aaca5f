import type { MessageKind } from '@loyalty/sdk/admin';
import type { Format } from '../../format.ts';
import { createTexts } from '../../language.ts';

const en = {
  lead: 'What members get by mail. A sign-in code is always sent.',
  when: {
    invitation: 'To anyone who buys and has not joined yet, at most once in 30 days.',
    welcome: 'To anyone who joins for the first time.',
    expiring: '30 and 7 days before points end.',
    birthday: 'On a member’s birthday, with the reward.',
    level: 'When a member climbs to a higher tier.',
    reward: 'With the reward of the month.',
  } satisfies Record<MessageKind, string>,
  sent: (n: number, f: Format) => `${f.number(n)} sent`,
  failed: (n: number, f: Format) => `${f.number(n)} not delivered`,
  inDays: 'Sent in the last 30 days.',
  idle: {
    no_reward: 'None is sent: the program has no such reward.',
    points_do_not_expire: 'None is sent: points do not end.',
    no_levels: 'None is sent: there are no tiers.',
  },
  canStop: 'Members can stop it with one click.',
  look: 'Look at it',
  lookAt: (title: string) => `Look at it: ${title}`,
  sender: 'Sender of the mails',
  senderHint: 'Leave it empty to use the name of the shop.',
  language: 'Language',
  languages: { en: 'English', es: 'Spanish' },
  words: 'The shop’s own words',
  wordsHint: 'They stand below the heading. Can be left empty.',
  from: 'From',
  subject: 'Subject',
  asMail: 'As a mail',
  asText: 'As plain text',
  frame: (title: string) => `The mail: ${title}`,
  sendOne: 'Send me one',
  sentOne: (email: string) => `It is on its way to ${email}.`,
  tooMany: 'Ten were sent within an hour. Wait a while.',
};

const es: typeof en = {
  lead: 'Lo que los clientes reciben por correo. El código para iniciar sesión se envía siempre.',
  when: {
    invitation: 'A quien compra y todavía no se ha unido, como mucho una vez cada 30 días.',
    welcome: 'A quien se une por primera vez.',
    expiring: '30 y 7 días antes de que venzan.',
    birthday: 'En el cumpleaños del cliente, con el regalo.',
    level: 'Cuando un cliente sube a un nivel más alto.',
    reward: 'Con el regalo del mes.',
  },
  sent: (n, f) => f.plural(n, { one: '1 enviado', other: `${f.number(n)} enviados` }),
  failed: (n, f) => f.plural(n, { one: '1 sin entregar', other: `${f.number(n)} sin entregar` }),
  inDays: 'Enviados en los últimos 30 días.',
  idle: {
    no_reward: 'No se envía: el programa no tiene ese regalo.',
    points_do_not_expire: 'No se envía: los puntos no vencen.',
    no_levels: 'No se envía: no hay niveles.',
  },
  canStop: 'Los clientes pueden dejar de recibirlo con un clic.',
  look: 'Verlo',
  lookAt: (title) => `Verlo: ${title}`,
  sender: 'Remitente de los correos',
  senderHint: 'Déjalo vacío para usar el nombre de la tienda.',
  language: 'Idioma',
  languages: { en: 'Inglés', es: 'Español' },
  words: 'Las palabras de la tienda',
  wordsHint: 'Van debajo del título. Se puede dejar vacío.',
  from: 'De',
  subject: 'Asunto',
  asMail: 'Como correo',
  asText: 'Como texto',
  frame: (title) => `El correo: ${title}`,
  sendOne: 'Enviarme uno',
  sentOne: (email) => `Va en camino a ${email}.`,
  tooMany: 'Se enviaron diez en una hora. Espera un rato.',
};

export const useMessageTexts = createTexts({ en, es });
