import { Logger, runMigrations, runTaskList } from 'graphile-worker'

/**
 * The part of graphile-worker that the server uses. The published package has its code here, without what only its
 * command line needs (`scripts/lib/packServer.mjs`).
 */
export const graphileWorker = { Logger, runMigrations, runTaskList }
