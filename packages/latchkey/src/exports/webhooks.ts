export { type WebhookData, type WebhookEvent, type WebhookType, webhookTypes } from 'latchkey-protocol'
export { verifyWebhook } from '../core/verifyWebhook.ts'
