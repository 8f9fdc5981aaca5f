/**
 * Starts the shop, and fills it the first time. With `--worker` it is a second process, which runs jobs and sends orders too. The page is at
 * http://127.0.0.1:3100/store
 */
import { mkdir } from 'node:fs/promises';
import { bootstrap, bootstrapWorker, EventBus, JobQueueService } from '@vendure/core';
import { config, keepMails } from './config.js';
import { fillShop } from './fill.js';

await mkdir('data', { recursive: true });
if (process.argv.includes('--worker')) {
  const worker = await bootstrapWorker(config);
  await worker.startJobQueue();
  console.log('worker ready');
} else {
  const app = await bootstrap(config);
  keepMails(app.get(EventBus));
  await app.get(JobQueueService).start();
  await fillShop(app);
  console.log(`shop ready at http://127.0.0.1:${config.apiOptions.port}/store`);
}
