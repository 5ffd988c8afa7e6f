export { expect, type Fixtures, test } from '../testing/vitestTest.ts'
