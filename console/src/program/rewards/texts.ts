import { createTexts } from '../../language.ts';

const en = {
  lead: 'What the program gives by itself.',
  kinds: { none: 'Nothing', points: 'Points', benefit: 'A benefit' },
  gives: 'What it gives',
  points: 'Points',
  benefit: 'Which one',
  hints: {
    welcome: 'Once per person. Leaving and joining again gives nothing.',
    birthday:
      'On the day, once a year. If members enter their birthday on that very day, the first gift comes a year later.',
    monthly_top:
      'To the member who spent the most in a month. It is given some days after the month ends, because returns still count.',
  },
  settle: 'Days to wait after the month',
  settleHint: 'Returns in these days still count.',
  begins: 'Rewards count from the day you publish them. The first month that counts is the next whole one.',
  noBenefit: 'There is no benefit for this yet. Add one under Benefits and choose when it is given.',
  toBenefits: 'To the benefits',
  pick: 'Choose a benefit',
};

const es: typeof en = {
  lead: 'Lo que el programa da por sí solo.',
  kinds: { none: 'Nada', points: 'Puntos', benefit: 'Un beneficio' },
  gives: 'Qué da',
  points: 'Puntos',
  benefit: 'Cuál',
  hints: {
    welcome: 'Una vez por persona. Salir y volver a entrar no da nada.',
    birthday:
      'El mismo día, una vez al año. Quien indica su cumpleaños ese mismo día recibe el primer regalo un año después.',
    monthly_top:
      'A quien más gastó en un mes. Se da unos días después de que acabe, porque las devoluciones todavía cuentan.',
  },
  settle: 'Días de espera tras el mes',
  settleHint: 'Las devoluciones de esos días todavía cuentan.',
  begins:
    'Los regalos cuentan desde el día en que los publicas; el mes, desde el primero que empieza después.',
  noBenefit: 'Todavía no hay un beneficio para esto. Añade uno en Beneficios y elige cuándo se da.',
  toBenefits: 'A los beneficios',
  pick: 'Elige un beneficio',
};

export const useRewardTexts = createTexts({ en, es });
