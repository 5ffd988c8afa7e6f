export { runCodemod } from '../codemod/runCodemod.ts'
export { runParity } from '../parity/runParity.ts'
