import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useTexts } from '../texts/texts.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Drawn, Icon } from '../ui/icon.tsx';
import { useCameraTexts } from './camera-texts.ts';
import { createDetector } from './detector.ts';
import { SWITCH } from './icons.ts';
import { readTyped } from './typed.ts';

type State = 'starting' | 'looking' | 'foreign' | 'refused' | 'none';

const LOOK_EVERY_MS = 120;

/** Reads a code with the camera. Loaded when it is asked for; the camera is off again as soon as the dialog is closed. */
export default function Camera(props: {
  onRead: (code: string) => void;
  onClose: () => void;
  onType: () => void;
}) {
  const t = useCameraTexts();
  const shared = useTexts();
  const video = useRef<HTMLVideoElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [cameras, setCameras] = useState<string[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [state, setState] = useState<State>('starting');
  const read = useEffectEvent((text: string) => {
    const { kind, text: digits } = readTyped(text);
    if (kind !== 'member' && kind !== 'voucher') return setState('foreign');
    navigator.vibrate?.(40);
    return props.onRead(digits);
  });

  useEffect(() => {
    const end = new AbortController();
    setState('starting');
    watch(video.current!, chosen, {
      signal: end.signal,
      onStart: (ids) => {
        setCameras(ids);
        setState('looking');
      },
      onRead: (text) => read(text),
    }).catch((error: unknown) => {
      if (!end.signal.aborted) setState(isRefusal(error) ? 'refused' : 'none');
    });
    return () => end.abort();
  }, [chosen, attempt]);

  const isOff = state === 'refused' || state === 'none';
  return (
    <Dialog title={t.title} onClose={props.onClose}>
      <div className="camera" hidden={isOff}>
        {/* oxlint-disable-next-line jsx-a11y/media-has-caption -- it is a view-finder */}
        <video ref={video} muted playsInline aria-hidden="true" />
        <span className="camera-frame" />
      </div>
      <div role="status">
        {state === 'starting' && <p className="small">{t.starting}</p>}
        {state === 'foreign' && (
          <p className="strip ending">
            <Icon name="info" />
            <span>{t.foreign}</span>
          </p>
        )}
        {isOff && (
          <div className="state">
            <span className="badge wrong">
              <Icon name="alert" />
            </span>
            <h3>{state === 'refused' ? t.refusedTitle : t.noneTitle}</h3>
            <p>{state === 'refused' ? t.refused : t.none}</p>
          </div>
        )}
      </div>
      <div className="dialog-acts">
        {cameras.length > 1 && !isOff && (
          <Button onClick={() => setChosen(nextOf(cameras, chosen))}>
            <Drawn path={SWITCH} />
            {t.other}
          </Button>
        )}
        {isOff && <Button onClick={() => setAttempt(attempt + 1)}>{shared.retry}</Button>}
        <Button look={isOff ? 'main' : ''} onClick={props.onType}>
          {t.type}
        </Button>
      </div>
    </Dialog>
  );
}

/** Shows a camera in the video and reads each picture, until the signal ends it and switches the camera off. */
async function watch(
  video: HTMLVideoElement,
  cameraId: string | null,
  options: { signal: AbortSignal; onStart: (cameras: string[]) => void; onRead: (text: string) => void },
): Promise<void> {
  const { signal, onStart, onRead } = options;
  // A page that is not on https has no cameras.
  if (navigator.mediaDevices === undefined) throw new Error('no cameras here');
  const size = { width: { ideal: 1280 }, height: { ideal: 720 } };
  const which = cameraId === null ? { facingMode: 'environment' } : { deviceId: { exact: cameraId } };
  const stream = await navigator.mediaDevices.getUserMedia({ video: { ...which, ...size } });
  const stop = () => stream.getTracks().forEach((track) => track.stop());
  if (signal.aborted) return stop();
  signal.addEventListener('abort', stop);
  video.srcObject = stream;
  const [detector, devices] = await Promise.all([
    createDetector(),
    navigator.mediaDevices.enumerateDevices(),
    video.play(),
  ]);
  if (signal.aborted) return;
  onStart(devices.filter(({ kind }) => kind === 'videoinput').map(({ deviceId }) => deviceId));
  while (!signal.aborted) {
    const [code] = await detector.detect(video).catch(() => []);
    if (code !== undefined && !signal.aborted) onRead(code.rawValue);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

const isRefusal = (error: unknown) => error instanceof DOMException && error.name === 'NotAllowedError';

function nextOf(cameras: readonly string[], chosen: string | null): string {
  return cameras[(cameras.indexOf(chosen ?? cameras[0]!) + 1) % cameras.length]!;
}
