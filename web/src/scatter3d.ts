// SPDX-License-Identifier: Apache-2.0
// Points in space with ogl; loaded only when somebody wants it. Drag or use the arrow keys to turn, the wheel to come nearer.
import { Camera, Geometry, Mesh, Program, Renderer, Transform, Vec3, Mat4 } from "ogl";

export interface Points { x: Float32Array; y: Float32Array; z: Float32Array; colour: Float32Array; shape: Float32Array }

const vertex = `attribute vec3 position; attribute vec3 tint; attribute float shape; uniform mat4 modelViewMatrix; uniform mat4 projectionMatrix; uniform float size;
varying vec3 vTint; varying float vShape;
void main() { vec4 p = modelViewMatrix * vec4(position, 1.0); gl_Position = projectionMatrix * p; gl_PointSize = size / -p.z; vTint = tint; vShape = shape; }`;
/* Shapes by kind: disc, hexagon, square, diamond. */
const fragment = `precision mediump float; varying vec3 vTint; varying float vShape;
void main() { vec2 d = abs(gl_PointCoord - 0.5) * 2.0; float r;
if (vShape < 0.5) r = length(d); else if (vShape < 1.5) r = max(d.x, d.x * 0.5 + d.y * 0.87); else if (vShape < 2.5) r = max(d.x, d.y); else r = d.x + d.y;
if (r > 1.0) discard; gl_FragColor = vec4(vTint, 1.0); }`;
const flat = `precision mediump float; uniform vec3 ink; void main() { gl_FragColor = vec4(ink, 1.0); }`;
const plain = `attribute vec3 position; uniform mat4 modelViewMatrix; uniform mat4 projectionMatrix; void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`;

export interface Scene { turn(dx: number, dy: number): void; zoom(by: number): void; pick(x: number, y: number): number; project(p: [number, number, number]): [number, number]; free(): void; draw(): void }

export function scene(canvas: HTMLCanvasElement, points: Points, background: [number, number, number], ink: [number, number, number], drawn: () => void): Scene {
  const width = canvas.clientWidth, height = canvas.clientHeight;
  const renderer = new Renderer({ canvas, width, height, dpr: Math.min(2, devicePixelRatio || 1), antialias: true, alpha: false });
  const gl = renderer.gl;
  gl.clearColor(...background, 1);
  const camera = new Camera(gl, { fov: 40, aspect: width / height });
  const root = new Transform();
  const n = points.x.length;
  const position = new Float32Array(3 * n);
  for (let i = 0; i < n; i++) position.set([points.x[i], points.y[i], points.z[i]], 3 * i);
  const geometry = new Geometry(gl, { position: { size: 3, data: position }, tint: { size: 3, data: points.colour }, shape: { size: 1, data: points.shape } });
  const dots = new Mesh(gl, { mode: gl.POINTS, geometry, frustumCulled: false,
    program: new Program(gl, { vertex, fragment, uniforms: { size: { value: Math.max(9, Math.min(34, 700 / Math.sqrt(n))) * (devicePixelRatio || 1) } } }) });
  dots.setParent(root);
  const box: number[] = [];
  for (const a of [-0.5, 0.5]) for (const b of [-0.5, 0.5]) box.push(-0.5, a, b, 0.5, a, b, a, -0.5, b, a, 0.5, b, a, b, -0.5, a, b, 0.5);
  const frame = new Mesh(gl, { mode: gl.LINES, frustumCulled: false, geometry: new Geometry(gl, { position: { size: 3, data: new Float32Array(box) } }),
    program: new Program(gl, { vertex: plain, fragment: flat, uniforms: { ink: { value: ink } } }) });
  frame.setParent(root);
  let yaw = 0.6, pitch = 0.45, far = 2.75, asked = false;
  const place = () => {
    camera.position.set(far * Math.cos(pitch) * Math.sin(yaw), far * Math.sin(pitch), far * Math.cos(pitch) * Math.cos(yaw));
    camera.lookAt(new Vec3(0, 0, 0));
    camera.updateMatrixWorld();
  };
  const draw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => { asked = false; place(); renderer.render({ scene: root, camera }); drawn(); });
  };
  const matrix = () => new Mat4().multiply(camera.projectionMatrix, camera.viewMatrix);
  const project = (p: [number, number, number], m = matrix()): [number, number] => {
    const w = m[3] * p[0] + m[7] * p[1] + m[11] * p[2] + m[15];
    const x = (m[0] * p[0] + m[4] * p[1] + m[8] * p[2] + m[12]) / w, y = (m[1] * p[0] + m[5] * p[1] + m[9] * p[2] + m[13]) / w;
    return [((x + 1) / 2) * width, ((1 - y) / 2) * height];
  };
  place();
  draw();
  return {
    turn(dx, dy) { yaw -= dx; pitch = Math.max(-1.5, Math.min(1.5, pitch + dy)); draw(); },
    zoom(by) { far = Math.max(0.6, Math.min(6, far * by)); draw(); },
    pick(x, y) {
      const m = matrix();
      let best = -1, near = 100;
      for (let i = 0; i < n; i++) {
        const [px, py] = project([points.x[i], points.y[i], points.z[i]], m);
        const d = (px - x) ** 2 + (py - y) ** 2;
        if (d < near) { near = d; best = i; }
      }
      return best;
    },
    project: (p) => project(p), draw,
    free() { gl.getExtension("WEBGL_lose_context")?.loseContext(); },
  };
}
