import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadPageOf } from './frame/pages.ts';

loadPageOf(location.pathname);
createRoot(document.querySelector('#console')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
