/** The last two releases are upgraded under load, with the packages that are installed here. */
import { test } from 'node:test';
import { isMissing, missingPackages } from './release-code.ts';
import { readReleases } from './release.ts';
import { canGoBackTo, runSideBySide } from './side-by-side.ts';

for (const release of readReleases().slice(-2)) {
  const { version, credentials } = release;
  test(
    `an upgrade from ${version}${canGoBackTo(release) ? ', and the way back,' : ''} fails no call`,
    { skip: isMissing(credentials.commit) || missingPackages(credentials.commit) },
    async (t) => t.diagnostic(`${await runSideBySide(t, release)} calls`),
  );
}
