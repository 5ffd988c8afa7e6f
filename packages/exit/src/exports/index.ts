export { type AccountKind, accountKinds, type Creation } from '../accountKinds.ts'
export { runExit } from '../cli/runExit.ts'
export { connectChain } from '../connectChain.ts'
export { CommandError } from '../errors.ts'
