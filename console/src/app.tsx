import { QueryClientProvider } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Router } from 'wouter';
import { queries } from './api.ts';
import { Crash } from './frame/crash.tsx';
import { Rooms } from './frame/rooms.tsx';
import { languageOf, LocaleContext, pickLocale } from './language.ts';
import { BASE } from './place.ts';

/** The whole console. Signing in happens at the address that was opened, so the way goes on from there. */
export function App() {
  const locale = useMemo(() => pickLocale(navigator.languages), []);
  document.documentElement.lang = languageOf(locale);
  return (
    <LocaleContext value={locale}>
      <Crash>
        <QueryClientProvider client={queries}>
          <Router base={BASE}>
            <Rooms />
          </Router>
        </QueryClientProvider>
      </Crash>
    </LocaleContext>
  );
}
