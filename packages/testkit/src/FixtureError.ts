/** A fixture could not be set up or does not support a request. */
export class FixtureError extends Error {}
