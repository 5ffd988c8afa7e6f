/** What a test needs could not be set up, or was asked for something it does not do. */
export class FixtureError extends Error {}
