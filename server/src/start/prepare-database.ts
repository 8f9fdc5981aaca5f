import type { Config } from '#settings/config.ts';
import { refuseUnnamedCluster } from '#db/cluster/refuse-unnamed-cluster.ts';
import { openDatabase, type Database, type DatabaseAddress } from '#db/database.ts';
import { explainUnreachable, type NamedAddress } from '#db/explain-unreachable.ts';
import { COMMAND_PATIENCE, PATIENCE } from '#db/patience.ts';
import { checkCarried } from '#db/carried-statements.ts';
import { checkLimits, explainPooler, storeSettingsOfRole } from '#db/pooler.ts';
import { grantToService, refuseMissingRights } from '#db/roles.ts';
import { updateSchema } from '#distribute/update-schema.ts';

/** Returns how calls reach the database. `embeddedUrl` is the address of the embedded one, if DATABASE_URL is not set. */
export function addressOfCalls(
  { databaseUrl, databaseDirectUrl, preparedStatements, cluster }: Config,
  embeddedUrl: string | null,
): DatabaseAddress {
  return {
    url: (databaseUrl ?? embeddedUrl)!,
    sendsSettings: databaseDirectUrl === databaseUrl,
    preparedStatements,
    cluster,
  };
}

/**
 * Makes the database ready for the service: updates the schema, and stores and checks the limits that a pooler does not pass on.
 * @param ownerUrl the address of the role that owns the tables, if it migrates instead and grants the service its rights
 * @throws Refusal with what to do
 */
export async function prepareDatabase(
  config: Config,
  address: DatabaseAddress,
  ownerUrl: string | null = null,
): Promise<void> {
  const { url } = address;
  if (ownerUrl !== null)
    await reach('DATABASE_OWNER_URL', ownerUrl, () => updateAsOwner({ ...address, url: ownerUrl }, address));
  const directUrl = config.databaseDirectUrl ?? url;
  await reach(directNameOf(config), directUrl, () => updateFirst({ ...address, url: directUrl }));
  // Limits that a connection to a coordinator brings do not reach its workers. Those of the role hold on all of them.
  if (directUrl !== url || config.cluster !== null) await storeSettingsOfRole(directUrl, address);
  if (config.databaseUrl !== null) await reach('DATABASE_URL', url, () => checkConnections(address));
}

/** @throws Unreachable, with the name of the variable, if the work cannot reach the database */
async function reach(name: NamedAddress['name'], url: string, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw explainUnreachable(error, { name, url });
  });
}

function directNameOf({ databaseUrl, databaseDirectUrl }: Config): NamedAddress['name'] {
  return databaseDirectUrl === databaseUrl ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
}

/** Migrates on a connection of its own, because migrations may take longer than requests. */
async function updateFirst(address: DatabaseAddress): Promise<void> {
  await onConnectionsOf(address, async (database) => {
    await updateSchema(database);
    await refuseMissingRights(database);
  }).catch((error: unknown) => {
    throw explainPooler(error);
  });
}

async function updateAsOwner(owner: DatabaseAddress, service: DatabaseAddress): Promise<void> {
  await onConnectionsOf(owner, async (database) => {
    await updateSchema(database);
    await grantToService(database, { ...service, preparedStatements: false });
  });
}

async function onConnectionsOf(
  address: DatabaseAddress,
  work: (database: Database) => Promise<void>,
): Promise<void> {
  const database = openDatabase({
    ...address,
    sendsSettings: true,
    preparedStatements: false,
    poolSize: 1,
    statementTimeoutMs: 0,
  });
  try {
    await refuseUnnamedCluster(database);
    await work(database);
  } finally {
    await database.destroy();
  }
}

/** Checks them on connections of its own, because the start may wait longer for a connection than a call. */
async function checkConnections(address: DatabaseAddress): Promise<void> {
  const patience = { ...PATIENCE, connectionMs: COMMAND_PATIENCE.connectionMs };
  const database = openDatabase({ ...address, poolSize: 3, patience });
  try {
    await checkCarried(database);
    await checkLimits(database, address);
  } finally {
    await database.destroy();
  }
}
