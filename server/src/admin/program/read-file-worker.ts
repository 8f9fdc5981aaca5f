/** Reads one program file on a thread of its own, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { readProgram } from '#program/read-program.ts';

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
parentPort?.postMessage(readProgram(workerData as string));
