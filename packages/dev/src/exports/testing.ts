export { findChromium } from '../testing/findChromium.ts'
export { launchBrowser } from '../testing/launchBrowser.ts'
export { startTestWorld } from '../testing/startTestWorld.ts'
export { waitForMail } from '../testing/waitForMail.ts'
