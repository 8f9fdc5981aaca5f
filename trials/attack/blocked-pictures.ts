import { defineAttack, type Finding } from './harness/attack.ts';
import { ATTACKER } from './harness/networks.ts';
import { withCaller } from './harness/purchases.ts';
import { applyFile } from './harness/run-command.ts';

const PICTURES = [
  'http://localhost:8080/tea.png',
  'http://127.0.0.1/tea.png',
  'http://pictures.example/tea.png',
  'https://pictures.example/tea.png',
];

export const blockedPictures = defineAttack({
  name: 'blocked-pictures',
  sentence: 'gives pictures to the program file that the page of the club then blocks',
  check: ({ port, env }) =>
    withCaller(port, async (caller) => {
      const findings: Finding[] = [];
      for (const [n, picture] of PICTURES.entries()) {
        const slug = `pictures-${n}`;
        const { exitCode } = await applyFile(programWith(slug, picture), env);
        const page = await caller.call(ATTACKER, { path: `/club/${slug}` });
        const shown = allows(String(page.headers['content-security-policy']), picture);
        findings.push({
          promise: `${picture} is refused or shown`,
          holds: exitCode !== 0 || shown,
          seen: exitCode === 0 ? `accepted, ${shown ? 'shown' : 'blocked'}` : 'refused',
        });
      }
      return findings;
    }),
});

function programWith(slug: string, picture: string): string {
  return `slug: ${slug}
name: Pictures
currency: EUR
time_zone: Europe/Madrid
earning: { money_per_point: 1 }
benefits:
  - { id: tea, type: free_product, title: Tea, cost: 1, image: "${picture}" }
`;
}

/** Whether the policy lets the page load that picture, by its scheme or its origin. */
function allows(policy: string, picture: string): boolean {
  const { protocol, origin } = new URL(picture);
  const sources = /img-src ([^;]*)/.exec(policy)?.[1]?.split(' ') ?? [];
  return sources.includes(protocol) || sources.includes(origin) || sources.includes('*');
}
