/** A failure that a frame reports to its page as `Error: {message}`. Messages carry no bundle, body or key. */
export class FrameError extends Error {
  override name = 'FrameError'
}
