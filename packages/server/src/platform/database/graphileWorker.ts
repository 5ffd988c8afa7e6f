import { Logger, runMigrations, runTaskList } from 'graphile-worker'

/**
 * The part of graphile-worker that the server uses. The published package bundles that code here, without the code that
 * only graphile-worker's command line needs (`scripts/lib/packServer.mjs`).
 */
export const graphileWorker = { Logger, runMigrations, runTaskList }
