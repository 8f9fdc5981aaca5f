import { render } from 'preact';
import { App } from './app.tsx';
import { registerWorker } from './register-worker.ts';

const root = document.getElementById('club');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}

// After the first load, so that it does not compete with the page for a slow network.
addEventListener('load', () => void registerWorker().catch(() => undefined));
