import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take a quarter of a minute and more: they start whole worlds, or drive a browser test by test. */
const long = [
  // Of the project e2e, in which two or three workers are left to themselves at the end.
  'e2e/tarballs.test.ts',
  'e2e/serverRendering.test.ts',
  'e2e/consoleLogin.test.ts',
  'e2e/console.test.ts',
  'e2e/panels.test.ts',
  'e2e/passkeys.test.ts',
  'e2e/consumers.test.ts',
  'e2e/links.test.ts',
  'e2e/kit.test.ts',
  'e2e/faults/kills.test.ts',
  'e2e/cli.test.ts',
  'e2e/keys.test.ts',
  'e2e/confirmations.test.ts',
  'e2e/operations.test.ts',
  'e2e/docs.test.ts',
  'e2e/sites.test.ts',
  'e2e/jobs.test.ts',
  'e2e/hooks.test.ts',
  'e2e/engines.test.ts',
  'e2e/faults/',
  // Of the project unit.
  'gateway/operations/crashes.test.ts',
  'e2e/published/frames.test.ts',
  'packages/dev/src/world/world.test.ts',
  'packages/dev/src/exit/runExit.test.ts',
  'packages/server/src/cli/moveCommands.test.ts',
  'packages/server/src/custody/crash.test.ts',
  'packages/latchkey/src/wallet/outbox/kills.test.ts',
  'packages/latchkey/src/signer/world',
  'packages/latchkey/src/signer/createSigner',
  'packages/latchkey/src/signer/actions/',
  'packages/frames/src/export/main.test.ts',
  '.browser.test.ts',
  'packages/dev/src/',
  'e2e/published/',
  'packages/latchkey/src/web/',
  'packages/frames/src/',
  '/onChain.test.ts',
]

/** Begins with what takes longest, so that at the end no worker is left alone with it. */
export class longestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = long.findIndex((part) => moduleId.includes(part))
      return index === -1 ? long.length : index
    }
    return sorted.sort((a, b) => rank(a) - rank(b))
  }
}
