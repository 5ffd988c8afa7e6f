/** Shared by the command lines of our packages; not part of the protocol. */
export { nearest, suggestOption } from '../commandLine.ts'
