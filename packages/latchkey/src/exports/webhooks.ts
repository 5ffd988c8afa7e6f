export { verifyWebhook } from '../core/verifyWebhook.ts'
export { type WebhookData, type WebhookEvent, type WebhookType, webhookTypes } from '../wire/webhooks.ts'
