/** Error for a fixture that cannot be set up or does not support a request. */
export class FixtureError extends Error {}
