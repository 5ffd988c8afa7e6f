/** What a test needs could not be set up. */
export class FixtureError extends Error {}
