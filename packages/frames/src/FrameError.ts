/**
 * Failure that a frame reports to its page as `Error: {message}`. Messages must not contain bundles, bodies or keys.
 */
export class FrameError extends Error {
  override name = 'FrameError'
}
