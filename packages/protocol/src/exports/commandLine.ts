/** Shared by the command lines of our packages; no part of the wire. */
export { nearest, suggestOption } from '../commandLine.ts'
