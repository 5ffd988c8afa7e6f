export { expect, type TestFixtures, test, type WorkerFixtures } from '../testing/playwrightTest.ts'
