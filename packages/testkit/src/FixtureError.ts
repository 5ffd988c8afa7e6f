/** Error of a fixture that cannot be set up, or that does not support a request. */
export class FixtureError extends Error {}
