import { render } from 'preact';
import { App } from './app.tsx';

const root = document.getElementById('club');
if (root !== null) {
  root.replaceChildren();
  render(<App />, root);
}
