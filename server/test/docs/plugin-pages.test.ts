/** The pages of the shop plugins: the commands of the service that they show work, and files, options and tables are those of the code. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loyalty } from '#test/command.ts';
import { service } from '#test/harness.ts';
import { filesThatEnd, read, ROOT } from '#test/repository.ts';
import { createShopClient } from '../../../sdk/src/index.ts';

const { version } = JSON.parse(read('package.json')) as { version: string };

const plugins = [
  {
    shop: 'medusa',
    options: 'src/modules/connection/options.ts',
    tablesOfTheCore: ['integrations/core/src/postgres-outbox.ts'],
  },
  { shop: 'vendure', options: 'src/options.ts', tablesOfTheCore: [] },
].map((plugin) => {
  const folder = `integrations/${plugin.shop}`;
  return { ...plugin, folder, text: read(`${folder}/README.md`) };
});

for (const { shop, folder, options, tablesOfTheCore, text } of plugins) {
  test(`${shop}: the commands of the service work in their order, and the key that one prints opens the service`, async () => {
    const commands = [...text.matchAll(/^ *npx --no-install loyalty (.+)$/gm)].map(([, args]) => args!);
    assert.deepEqual(
      commands.map((command) => command.split(' --')[0]!.split(' ', 2).join(' ')),
      [`apply examples/shop-${shop}/${programOf(text)}`, 'commerce list', 'key create', 'webhook create'],
    );
    let key = '';
    for (const command of commands) {
      const args = command.split(' ').map((word) => word.replace(/^examples\//, `${ROOT}/examples/`));
      const { code, stdout, stderr, json } = await loyalty([...args, '--json'], {
        env: { SECRET_KEY: 'what npm start keeps in its folder' },
      });
      assert.equal(code, 0, `${command}: ${stderr}`);
      if (command.startsWith('key')) ({ key } = json<{ key: string }>());
      if (command.startsWith('commerce')) assert.match(stdout, new RegExp(`"slug": "shop-${shop}"`));
    }
    const { url: baseUrl } = await service();
    assert.notDeepEqual(await createShopClient({ baseUrl, apiKey: key }).listBenefits(), []);
  });

  test(`${shop}: the page names the packages of this version`, () => {
    const named = [...text.matchAll(/loyalty-([a-z-]+)-(\d[\d.]*)\.tgz/g)].map(
      ([, name, of]) => `${name} ${of}`,
    );
    assert.deepEqual(
      [...new Set(named)],
      ['sdk', 'shop-core', shop].map((name) => `${name} ${version}`),
    );
  });

  test(`${shop}: the table of options has each option, and nothing else`, () => {
    const table = /^## Options\n([^]*?)^##/m.exec(text)![1]!;
    const rows = [...table.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g)!);
    const known = [...read(`${folder}/${options}`).matchAll(/^ {2}(?:readonly )?(\w+)\??: /gm)].map(
      ([, name]) => name!,
    );
    assert.deepEqual(rows.toSorted(), [...new Set(known)].toSorted());
  });

  test(`${shop}: the page names each table of the plugin`, () => {
    const tables = [...filesThatEnd('.ts', `${folder}/src`), ...tablesOfTheCore].flatMap((path) =>
      [...read(path).matchAll(/create table if not exists (\w+)|@Entity\('(\w+)'\)/g)].map(
        ([, made, entity]) => made ?? entity!,
      ),
    );
    assert.ok(tables.length > 1);
    assert.deepEqual(
      tables.filter((table) => !text.includes(`\`${table}\``)),
      [],
    );
  });
}

function programOf(text: string): string {
  return /examples\/shop-\w+\/(\w+\.yaml)/.exec(text)![1]!;
}
