/** The questions of `loyalty init`, on a terminal. They are drawn on stderr, because stdout is for data. */
import { cancel, confirm, intro, isCancel, text } from '@clack/prompts';
import { Refusal } from '#base/refusal.ts';
import type { Place } from '#set-up/guess-place.ts';
import { readAnswers, whyWrong, withDefaults, type Answers, type TypedField } from './init-answers.ts';

const output = process.stderr;

/** Asks for everything that is not given. @throws Refusal if the person presses Ctrl-C */
export async function askQuestions(given: Answers, place: Place): Promise<Answers> {
  intro('A new program file. Enter takes what is shown.', { output });
  let answers = given;
  const askText = async (field: TypedField, message: (soFar: Answers) => string) => {
    if (answers[field] !== undefined) return;
    const fallback = String(withDefaults(answers, place)[field]);
    const typed = await text({
      message: message(answers),
      placeholder: fallback,
      defaultValue: fallback,
      validate: (value) =>
        whyWrong(field, value === undefined || value === '' ? fallback : value) ?? undefined,
      output,
    });
    answers = { ...answers, ...readAnswers({ [field]: answerOf(typed) }) };
  };
  const askYesOrNo = async (field: 'tiers' | 'sandbox', message: string) => {
    if (answers[field] !== undefined) return;
    const chosen = await confirm({ message, initialValue: true, output });
    answers = { ...answers, [field]: answerOf(chosen) };
  };

  await askText('name', () => 'What is the name of the shop?');
  await askText('currency', () => 'In which currency does it sell?');
  await askText('timeZone', () => 'In which time zone do its days begin?');
  await askText('locale', () => 'Which language do its members read?');
  await askText('moneyPerPoint', ({ currency }) => `How many ${currency} does a member spend for one point?`);
  await askText('welcomePoints', () => 'How many points does a member get for joining?');
  await askYesOrNo('tiers', 'Do members climb tiers, from which they earn more?');
  await askYesOrNo('sandbox', 'Is it a sandbox, to try things? No means that real members will join.');
  return answers;
}

/** Asks whether to replace a file. */
export async function confirmReplacing(file: string): Promise<boolean> {
  return answerOf(await confirm({ message: `${file} exists. Replace it?`, initialValue: false, output }));
}

function answerOf<T>(answer: T): Exclude<T, symbol> {
  if (!isCancel(answer)) return answer as Exclude<T, symbol>;
  cancel('Cancelled', { output });
  throw new Refusal('Nothing was written.');
}
