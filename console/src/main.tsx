import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';

createRoot(document.querySelector('#console')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
