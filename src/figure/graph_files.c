/* SPDX-License-Identifier: Apache-2.0
 *
 * The site graph for other programs: GraphML as yEd draws it, GEXF as Gephi does.
 */
#include "draw_int.h"

#include <inttypes.h>

#define SCALE 2000.0 /* of the layout, whose outermost ring has radius 1 */

static double size_of(const struct sharc_figure_node *n)
{
    return n->folded ? 20 + 6 * sqrt((double)n->pages) : n->depth == 0 ? 40 : 20;
}

/* XML has no place for most control characters, nor for what is no UTF-8. */
static void put_text(struct sharc_buf *out, struct sharc_span s)
{
    uint32_t c;
    for (size_t i = 0, n; i < s.n; i += n) {
        n = sharc_utf8_decode(sharc_span_from(s, i), &c);
        bool bad = n == 0 || c < ' ' || c == 0xfffe || c == 0xffff;
        if (n == 0) n = 1;
        sharc_buf_put_markup(out, bad ? SHARC_SPAN("?") : sharc_span_sub(s, i, i + n));
    }
}

static int check(const struct sharc_figure *f, const char *form, struct sharc_err *reterr)
{
    SHARC_FAIL_IF(f->name != SHARC_FIGURE_DRAW_GRAPH, reterr, SHARC_EINVAL,
                  "%s holds graphs: only the figure \"graph\" can be written as such", form);
    return 0;
}

/* --- GraphML --------------------------------------------------------------------------------------------- */

static void graphml_node(const struct sharc_figure_node *n, size_t i, struct sharc_buf *out)
{
    double size = size_of(n);
    sharc_buf_printf(out, "<node id=\"n%zu\"><data key=\"url\">", i);
    put_text(out, n->url);
    sharc_buf_printf(
        out,
        "</data><data key=\"kind\">%s</data><data key=\"class\">%s</data><data key=\"folded\">%s</data>"
        "<data key=\"pages\">%" PRIu32 "</data><data key=\"below\">%" PRIu32 "</data>"
        "<data key=\"drawn\"><y:ShapeNode><y:Geometry height=\"%.1f\" width=\"%.1f\" x=\"%.1f\" y=\"%.1f\"/>"
        "<y:Fill color=\"#%06X\" transparent=\"false\"/><y:BorderStyle color=\"#404040\" type=\"line\" width=\"1.0\"/>"
        "<y:NodeLabel fontSize=\"10\" visible=\"true\">%c",
        sharc_figure_kind_word(n->kind), sharc_figure_class_word(n->change), n->folded ? "true" : "false", n->pages,
        n->below, size, size, (double)n->x * SCALE - size / 2, (double)n->y * SCALE - size / 2,
        sharc_figure_class_colour(n->change, false), sharc_figure_class_letter(n->change));
    if (n->folded) sharc_buf_printf(out, " %" PRIu32, n->pages);
    sharc_buf_printf(out, "</y:NodeLabel><y:Shape type=\"%s\"/></y:ShapeNode></data></node>\n",
                     n->folded ? "ellipse" : sharc_figure_kind_shape(n->kind));
}

int sharc_figure_graphml(const struct sharc_figure *f, struct sharc_buf *out, struct sharc_err *reterr)
{
    int r = check(f, "GraphML", reterr);
    if (r < 0) return r;
    sharc_buf_put_str(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
             "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
             " xmlns:y=\"http://www.yworks.com/xml/graphml\" xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns"
             " http://www.yworks.com/xml/schema/graphml/1.1/ygraphml.xsd\">\n"
             "<key id=\"url\" for=\"node\" attr.name=\"url\" attr.type=\"string\"/>\n"
             "<key id=\"kind\" for=\"node\" attr.name=\"kind\" attr.type=\"string\"/>\n"
             "<key id=\"class\" for=\"node\" attr.name=\"class\" attr.type=\"string\"/>\n"
             "<key id=\"folded\" for=\"node\" attr.name=\"folded\" attr.type=\"boolean\"/>\n"
             "<key id=\"pages\" for=\"node\" attr.name=\"pages\" attr.type=\"int\"/>\n"
             "<key id=\"below\" for=\"node\" attr.name=\"below\" attr.type=\"int\"/>\n"
             "<key id=\"drawn\" for=\"node\" yfiles.type=\"nodegraphics\"/>\n"
             "<graph id=\"G\" edgedefault=\"directed\">\n");
    for (size_t i = 0; i < f->graph.count; i++) graphml_node(&f->graph.nodes[i], i, out);
    for (size_t i = 0; i < f->graph.count; i++)
        if (f->graph.nodes[i].parent != i)
            sharc_buf_printf(out, "<edge id=\"e%zu\" source=\"n%" PRIu32 "\" target=\"n%zu\"/>\n", i,
                             f->graph.nodes[i].parent, i);
    sharc_buf_put_str(out, "</graph>\n</graphml>\n");
    return sharc_buf_result(out, reterr);
}

/* --- GEXF -------------------------------------------------------------------------------------------------- */

static void gexf_node(const struct sharc_figure_node *n, size_t i, struct sharc_buf *out)
{
    /* Gephi knows no hexagons and no ellipses. */
    static const char *const shapes[] = {"disc", "diamond", "diamond", "square", "square", "triangle"};
    uint32_t c = sharc_figure_class_colour(n->change, false);
    sharc_buf_printf(out, "<node id=\"%zu\" label=\"", i);
    put_text(out, n->url);
    sharc_buf_printf(out,
                     "\"><attvalues><attvalue for=\"0\" value=\"%s\"/><attvalue for=\"1\" value=\"%s\"/>"
                     "<attvalue for=\"2\" value=\"%s\"/><attvalue for=\"3\" value=\"%" PRIu32 "\"/></attvalues>"
                     "<viz:color r=\"%" PRIu32 "\" g=\"%" PRIu32 "\" b=\"%" PRIu32
                     "\"/><viz:position x=\"%.2f\" y=\"%.2f\" z=\"0.0\"/>"
                     "<viz:size value=\"%.1f\"/><viz:shape value=\"%s\"/></node>\n",
                     sharc_figure_kind_word(n->kind), sharc_figure_class_word(n->change), n->folded ? "true" : "false",
                     n->pages, c >> 16 & 255, c >> 8 & 255, c & 255, (double)n->x * SCALE, -(double)n->y * SCALE,
                     size_of(n), n->folded ? "disc" : shapes[n->kind]);
}

int sharc_figure_gexf(const struct sharc_figure *f, struct sharc_buf *out, struct sharc_err *reterr)
{
    int r = check(f, "GEXF", reterr);
    if (r < 0) return r;
    sharc_buf_put_str(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<gexf xmlns=\"http://www.gexf.net/1.2draft\" xmlns:viz=\"http://www.gexf.net/1.2draft/viz\" version=\"1.2\">\n"
        "<graph mode=\"static\" defaultedgetype=\"directed\">\n<attributes class=\"node\">\n"
        "<attribute id=\"0\" title=\"kind\" type=\"string\"/>\n<attribute id=\"1\" title=\"class\" type=\"string\"/>\n"
        "<attribute id=\"2\" title=\"folded\" type=\"boolean\"/>\n<attribute id=\"3\" title=\"pages\" "
        "type=\"integer\"/>\n"
        "</attributes>\n<nodes>\n");
    for (size_t i = 0; i < f->graph.count; i++) gexf_node(&f->graph.nodes[i], i, out);
    sharc_buf_put_str(out, "</nodes>\n<edges>\n");
    for (size_t i = 0; i < f->graph.count; i++)
        if (f->graph.nodes[i].parent != i)
            sharc_buf_printf(out, "<edge id=\"%zu\" source=\"%" PRIu32 "\" target=\"%zu\"/>\n", i,
                             f->graph.nodes[i].parent, i);
    sharc_buf_put_str(out, "</edges>\n</graph>\n</gexf>\n");
    return sharc_buf_result(out, reterr);
}
