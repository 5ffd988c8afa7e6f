import { Logger, runMigrations, runTaskList } from 'graphile-worker'

/**
 * The part of graphile-worker that the server uses. The published package bundles it here, without the code for
 * graphile-worker's own command line (`scripts/lib/packServer.mjs`).
 */
export const graphileWorker = { Logger, runMigrations, runTaskList }
